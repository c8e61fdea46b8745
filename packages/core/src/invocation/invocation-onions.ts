import { ownVerdict } from "../approvals/own-verdict.js";
import { type Verdict, type VerdictContext, verdictOnion } from "../approvals/verdict.js";
import type { ChatClient, ChatResponse } from "../chat/chat-client.js";
import { type ChatContext, chatOnion } from "../chat/chat-context.js";
import { compose } from "../onion/compose.js";
import type { Layer } from "../onion/handler.js";
import type { Core } from "../onion/onion.js";
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
      verdict: compose(layers.verdict, verdictOnion, ownVerdict),
    }),
    ...(layers.function.length > 0 && { function: compose(layers.function, functionOnion, run) }),
  };
}
