import { type Verdict, type VerdictContext, verdictOnion } from "../approvals/verdict.js";
import type { ChatClient, ChatResponse } from "../chat/chat-client.js";
import { type ChatContext, chatOnion } from "../chat/chat-context.js";
import { ConfigurationError } from "../errors/configuration-error.js";
import { compose } from "../onion/compose.js";
import type { Layer } from "../onion/handler.js";
import type { Core } from "../onion/onion.js";
import { lateModule } from "../run/late-module.js";
import type { FunctionInvocationContext, ToolResult } from "../tools/tool.js";
import { askClient } from "./ask-client.js";
import type { CallContext } from "./call-context.js";
import { functionOnion, runTool } from "./run-tool.js";

/** Handlers by kind; in each list the first is the outermost. */
export interface InvocationLayers {
  readonly chat: readonly Layer<ChatContext, ChatResponse>[];
  readonly verdict: readonly Layer<VerdictContext, Verdict>[];
  readonly function: readonly Layer<FunctionInvocationContext, ToolResult>[];
}

/** The onions of the loop, composed; a kind without handlers costs nothing. */
export interface InvocationOnions {
  readonly chat?: Core<ChatContext, ChatResponse>;
  readonly verdict?: Core<VerdictContext, Verdict>;
  readonly function?: Core<CallContext, ToolResult>;
}

export function composeOnions(client: ChatClient, layers: InvocationLayers): InvocationOnions {
  const ask = (context: ChatContext): Promise<ChatResponse> => askClient(client, context);
  const run = async (context: CallContext): Promise<ToolResult> => {
    // A handler may have been deaf to the end of its time: nothing new begins after it.
    context.throwIfStopped();
    return runTool(context);
  };
  return {
    ...(layers.chat.length > 0 && { chat: compose(layers.chat, chatOnion, ask) }),
    ...(layers.verdict.length > 0 && {
      verdict: compose(layers.verdict, verdictOnion, ownVerdictLater),
    }),
    ...(layers.function.length > 0 && { function: compose(layers.function, functionOnion, run) }),
  };
}

const approvalFlow = lateModule(() => import("./approval-flow.js"));

/** What stands in the middle comes with the rest of approvals, which most programs do without. */
async function ownVerdictLater(context: VerdictContext): Promise<Verdict> {
  const { ownVerdict } = await approvalFlow();
  return ownVerdict(context);
}

/** Handlers that nobody would call are a mistake: the loop has no agent onion. */
export function checkLayers(
  layers: InvocationLayers & { readonly agent?: readonly Named[] },
): void {
  const [first] = layers.agent ?? [];
  if (first === undefined) return;
  throw new ConfigurationError(
    "wrong_kind",
    `A FunctionInvocationLayer takes chat, verdict and function handlers; "${first.name}" has a handler for "agent". Put it into the agent's list.`,
  );
}

interface Named {
  readonly name: string;
}
