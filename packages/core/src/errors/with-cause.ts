import { isA } from "./thrown.js";

/** Longer chains of causes are circles. */
const longestChain = 16;

/**
 * A message with the innermost cause that says something, since what lies between is often no more
 * than "fetch failed": `Connection error: connect ECONNREFUSED 127.0.0.1:1`.
 */
export function withCause(message: string, cause: unknown): string {
  let innermost = "";
  let error = cause;
  for (let depth = 0; isA(error, Error) && depth < longestChain; depth++) {
    innermost = error.message || innermost;
    // Where several addresses were tried, each failed for a reason of its own.
    error = error instanceof AggregateError ? error.errors[0] : error.cause;
  }
  if (innermost === "" || message.includes(innermost)) return message;
  return `${message.replace(/\.$/, "")}: ${innermost}`;
}
