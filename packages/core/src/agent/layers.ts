import type { ChatClient } from "../chat/chat-client.js";
import { loadReader } from "../chat/read-value.js";
import { ConfigurationError } from "../errors/configuration-error.js";
import type { FunctionInvocationConfiguration } from "../invocation/function-invocation-configuration.js";
import { FunctionInvocationLayer } from "../invocation/function-invocation-layer.js";
import type { InvocationLayers } from "../invocation/invocation-onions.js";
import { compose } from "../onion/compose.js";
import type { Core } from "../onion/onion.js";
import { Run } from "../run/run.js";
import { AgentContext, agentOnion } from "./agent-context.js";
import { AgentResponse } from "./agent-response.js";
import type { ContextProvider } from "./context-provider.js";
import type { Middleware } from "./middleware.js";
import type { Asked } from "./provided-context.js";
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
 * The order of the layers: agent handlers, then what context providers provide, then the loop; in it
 * chat handlers around the client, verdicts around each batch, and function handlers around each call.
 * Of each kind, what the list brings is outside of what providers bring.
 *
 * @param exclusive Whether `invocation` may not stand beside a loop that has a configuration.
 */
export function layersAround(
  client: ChatClient,
  invocation: FunctionInvocationConfiguration | undefined,
  middleware: readonly Middleware[],
  providers: readonly ContextProvider[],
  exclusive = true,
): AgentLayers {
  const brought = providers.flatMap((each) => each.middleware ?? []);
  const { agent, ...layers } = sortMiddleware(
    brought.length === 0 ? middleware : [middleware, brought].flat(),
  );
  const asked = providers.filter((each) => each.provide);
  const loop = loopAround(client, invocation, layers, exclusive);
  return {
    agent: compose(agent, agentOnion, (context) => runLoop(loop, asked, context)),
    handled: agent.length > 0,
    loop,
  };
}

/** The core of the agent onion. */
async function runLoop(
  loop: FunctionInvocationLayer,
  providers: readonly ContextProvider[],
  context: AgentContext,
): Promise<AgentResponse> {
  const { segment, signal, input } = AgentContext.passageOf(context);
  const untouched = context.messages === input.fresh;
  const run = signal ? boundedRun(context, signal) : context.run;
  // A handler may have put anything before the input; the session's own part it cannot change.
  const { session } = run;
  let asked: Asked = {
    messages: untouched ? input.history : [...input.before, ...context.messages],
    options: context.options,
    inputFrom: untouched ? input.inputFrom : session && input.before.length,
  };
  if (run instanceof Run) {
    if (providers.length > 0) {
      const provided = await run.gate.pass(import("./agent-flow.js"));
      const terms = { providers, run, input: context.messages, client: loop };
      asked = await provided.withProvided(asked, terms);
    }
    run.inputFrom = asked.inputFrom;
  }
  const response = await loop.getResponse({
    messages: asked.messages,
    options: asked.options,
    run,
    ...(segment && { onUpdate: segment.emit }),
  });
  // A handler may ask for another form.
  const { responseFormat } = context.options;
  const read =
    responseFormat === input.options.responseFormat
      ? input.read
      : responseFormat && (await loadReader(responseFormat));
  return new AgentResponse(input.history, input.news, response, read);
}

/** A handler has bounded the inside: it gets a run of its own, which can be stopped alone. */
function boundedRun(context: AgentContext, signal: AbortSignal): Run {
  const { run } = context;
  const bounded = new Run({
    signal,
    state: run.state,
    ...(run instanceof Run && { parent: run, passOf: run }),
    ...(run.agent && { agent: run.agent }),
    ...(run.session && { session: run.session }),
  });
  if (run instanceof Run) {
    bounded.onlyAnswers = run.onlyAnswers;
    bounded.handedDown = run.handedDown;
    run.keep({ transcript: () => bounded.transcript });
  }
  return bounded;
}

function loopAround(
  client: ChatClient,
  invocation: FunctionInvocationConfiguration | undefined,
  layers: InvocationLayers,
  exclusive: boolean,
): FunctionInvocationLayer {
  if (!(client instanceof FunctionInvocationLayer)) {
    return new FunctionInvocationLayer(client, invocation, { layers });
  }
  if (invocation !== undefined && exclusive) {
    throw new ConfigurationError(
      "two_sources",
      "The client is a FunctionInvocationLayer with a configuration of its own: write the budgets there or as `invocation`, not both.",
    );
  }
  return new FunctionInvocationLayer(client.client, invocation ?? client.configuration, {
    layers: client.layers ? inside(layers, client.layers) : layers,
  });
}

/** Layers that a loop was made with stay, as the innermost: a guard must not get lost. */
function inside(outer: InvocationLayers, inner: InvocationLayers): InvocationLayers {
  return {
    chat: [...outer.chat, ...inner.chat],
    verdict: [...outer.verdict, ...inner.verdict],
    function: [...outer.function, ...inner.function],
  };
}
