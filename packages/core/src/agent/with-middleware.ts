import type { ChatClient, ChatRequest, ChatResponse } from "../chat/chat-client.js";
import { chatOnion, openChatContext, sendInstead } from "../chat/chat-context.js";
import { openSegment } from "../chat/update-segment.js";
import { ConfigurationError } from "../errors/configuration-error.js";
import { MiddlewareTermination } from "../errors/middleware-termination.js";
import { isA } from "../errors/thrown.js";
import { askClient } from "../invocation/ask-client.js";
import { compose } from "../onion/compose.js";
import { Run } from "../run/run.js";
import type { RunContext } from "../run/run-context.js";
import type { Middleware } from "./middleware.js";
import { sortMiddleware } from "./sort-middleware.js";

/**
 * Wraps a chat client by hand, without any agent. Inside an agent such layers are the innermost.
 *
 * @throws ConfigurationError `wrong_kind` for a middleware with other handlers than `chat`.
 */
export function withMiddleware(client: ChatClient, middleware: readonly Middleware[]): ChatClient {
  const layers = sortMiddleware(middleware);
  for (const kind of ["agent", "verdict", "function"] as const) {
    const [wrong] = layers[kind];
    if (wrong === undefined) continue;
    throw new ConfigurationError(
      "wrong_kind",
      `A chat client takes chat handlers only; "${wrong.name}" has a handler for "${kind}". Put it into the agent's list.`,
    );
  }
  const onion = compose(layers.chat, chatOnion, (context) => askClient(client, context));
  return {
    metadata: client.metadata,
    ...(client.checkTools && { checkTools: client.checkTools.bind(client) }),
    async getResponse(request: ChatRequest): Promise<ChatResponse> {
      const own = runFor(request);
      const run = own ?? (request.run as RunContext);
      const { onUpdate } = request;
      // What comes after an abort comes from work that was given up.
      const segment =
        onUpdate && openSegment((update) => (own?.gate.aborted ? undefined : onUpdate(update)));
      const iteration = run instanceof Run ? Math.max(1, run.rounds) : 1;
      const context = openChatContext(
        run,
        iteration,
        request.messages,
        request.options,
        segment,
        request.signal,
      );
      if (own === undefined) return onion(context);
      try {
        own.gate.throwIfAborted();
        // A handler may be deaf to an abort.
        return await own.gate.pass(onion(context));
      } catch (error) {
        if (!isA(error, MiddlewareTermination)) throw error;
        // Without a loop there is no run to end: the response is all there is.
        return await sendInstead(context, error.result as ChatResponse);
      } finally {
        own.gate.release();
      }
    },
  };
}

/**
 * A run for a client that is called without any loop, inside the caller's where there is one. A run
 * that has asked no model has no loop: a handler calls the client by itself, as with `run.child()`.
 */
function runFor({ run, signal }: ChatRequest): Run | undefined {
  if (run !== undefined && !(run instanceof Run && run.rounds === 0)) return undefined;
  return new Run({ ...(run && { parent: run, state: run.state }), ...(signal && { signal }) });
}
