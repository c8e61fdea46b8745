/**
 * What kind of error an SDK has thrown. There may be several copies of an SDK, a ready client brings its own, and a
 * bundler may have renamed classes: so neither `instanceof` nor the name of a class tells.
 */

/** The second line writes here what an error is, for copies of it. */
const brands = Symbol.for("mcp.sdk.errorBrands");

/** An answer over HTTP that is none; its `code`, or with the second line its `data`, has the status. */
export function isHttpError(error: Error): boolean {
  return isSseError(error) || (says(error, /^Streamable HTTP error: /) && "code" in error);
}

/** What breaks or refuses a stream of events. */
export function isSseError(error: Error): boolean {
  return isBranded(error, "SseError") || (says(error, /^SSE error: /) && "event" in error);
}

/** An error of the second line itself, not of the protocol: its `code` is a text. */
export function isSdkError(error: Error): boolean {
  return isBranded(error, "SdkError");
}

/** Somebody has to sign in first. What a server says has a code. */
export function isUnauthorizedError(error: Error): boolean {
  return (
    isBranded(error, "UnauthorizedError") ||
    (says(error, /^(Unauthorized|Failed to authorize|No auth provider)$/) && !("code" in error)) ||
    // What wraps `fetch` in the first line has texts of its own; there only the name tells.
    error.constructor.name === "UnauthorizedError"
  );
}

function isBranded(error: Error, kind: string): boolean {
  const all: unknown = Reflect.get(error, brands);
  return all instanceof Set && all.has(`mcp.${kind}`);
}

function says({ message }: Error, pattern: RegExp): boolean {
  return pattern.test(message);
}
