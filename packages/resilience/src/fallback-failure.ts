import { ChatClientError } from "@tunic/core";
import type { NamedClient } from "./named-client.js";

/** A client that was asked, and what became of it. */
export interface Failure {
  readonly target: NamedClient;
  readonly error: ChatClientError;
}

/**
 * What a fallback fails with. One failure stays as it is. Several are one error, which may be retried when one
 * of them may be: it has the code, status and request id of the first that may, or else of the first.
 */
export function failureOf(failures: readonly [Failure, ...Failure[]]): ChatClientError {
  const [first] = failures;
  if (failures.length === 1) return first.error;
  const errors = failures.map(({ error }) => error);
  const retryable = errors.filter((error) => error.retryable);
  const { code, status, requestId } = retryable[0] ?? first.error;
  const told = failures.map(
    ({ target, error }) => `"${target.name}" (${error.code}): ${error.message}`,
  );
  const message = `All ${failures.length} clients that were asked have failed. ${told.join(" ")}`;
  return new ChatClientError(code, message, {
    status,
    requestId,
    retryable: retryable.length > 0,
    retryAfterMs: shortestWaitMs(retryable),
    cause: new AggregateError(errors, message),
  });
}

/** Until the first of them may be asked again; undefined where one of them says nothing of it. */
function shortestWaitMs(errors: readonly ChatClientError[]): number | undefined {
  let shortest: number | undefined;
  for (const { retryAfterMs } of errors) {
    if (retryAfterMs === undefined) return undefined;
    shortest = Math.min(shortest ?? Infinity, retryAfterMs);
  }
  return shortest;
}

/** The others know nothing of what was said before, and the request does not hold it. */
export function conversationIsHeld(
  { target, error }: Failure,
  conversationId: string,
): ChatClientError {
  const { code, status, requestId, retryable, retryAfterMs } = error;
  const message =
    `"${target.name}" failed (${code}), and no other client can be asked: its service holds the conversation ` +
    `"${conversationId}", and these messages are not the whole of it. For a fallback, send the whole history ` +
    `without conversationId. ${error.message}`;
  return new ChatClientError(code, message, {
    status,
    requestId,
    retryable,
    retryAfterMs,
    cause: error,
  });
}
