import type { ChatClient } from "../chat/chat-client.js";
import { ConfigurationError } from "../errors/configuration-error.js";
import type { FunctionInvocationConfiguration } from "../invocation/function-invocation-configuration.js";
import {
  FunctionInvocationLayer,
  type InvocationParts,
} from "../invocation/function-invocation-layer.js";
import { type Core, compose } from "../onion/compose.js";
import { Run } from "../run/run-context.js";
import { AgentContext, agentOnion } from "./agent-context.js";
import { AgentResponse } from "./agent-response.js";
import type { Middleware } from "./middleware.js";
import { sortMiddleware } from "./sort-middleware.js";

/** What an agent is made of, from the outside in. */
export interface AgentLayers {
  /** The agent onion; its core is the loop. */
  readonly agent: Core<AgentContext, AgentResponse>;
  /** Whether there are agent handlers, which could be deaf to an abort. */
  readonly handled: boolean;
  /** The loop; inside it the chat onion, the verdicts and the function onion. */
  readonly loop: FunctionInvocationLayer;
}

/**
 * The order of the layers: agent handlers, then the loop; in it chat handlers around the client,
 * verdicts around each batch, and function handlers around each call.
 */
export function layersAround(
  client: ChatClient,
  invocation: FunctionInvocationConfiguration | undefined,
  middleware: readonly Middleware[],
): AgentLayers {
  const { agent, ...layers } = sortMiddleware(middleware);
  const loop = loopAround(client, invocation, { layers });
  return {
    agent: compose(agent, agentOnion, (context) => runLoop(loop, context)),
    handled: agent.length > 0,
    loop,
  };
}

/** The core of the agent onion. */
async function runLoop(
  loop: FunctionInvocationLayer,
  context: AgentContext,
): Promise<AgentResponse> {
  const { segment, signal, input } = AgentContext.passageOf(context);
  const messages =
    context.messages === input.fresh ? input.history : [...input.before, ...context.messages];
  const response = await loop.getResponse({
    messages,
    options: context.options,
    run: signal ? boundedRun(context, signal) : context.run,
    ...(segment && { onUpdate: segment.emit }),
  });
  return new AgentResponse(input.history, input.news, response);
}

/** A handler has bounded the inside: it gets a run of its own, which can be stopped alone. */
function boundedRun(context: AgentContext, signal: AbortSignal): Run {
  const { run } = context;
  const bounded = new Run({
    signal,
    state: run.state,
    ...(run instanceof Run && { parent: run }),
    ...(run.agent && { agent: run.agent }),
    ...(run.session && { session: run.session }),
  });
  if (run instanceof Run) run.keep({ transcript: () => bounded.transcript });
  return bounded;
}

function loopAround(
  client: ChatClient,
  invocation: FunctionInvocationConfiguration | undefined,
  parts: InvocationParts,
): FunctionInvocationLayer {
  if (!(client instanceof FunctionInvocationLayer)) {
    return new FunctionInvocationLayer(client, invocation, parts);
  }
  if (invocation === undefined) {
    return new FunctionInvocationLayer(client.client, client.configuration, parts);
  }
  throw new ConfigurationError(
    "two_sources",
    "The client is a FunctionInvocationLayer with a configuration of its own: write the budgets there or as `invocation`, not both.",
  );
}
