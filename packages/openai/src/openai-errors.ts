import {
  ChatClientError,
  type ChatClientErrorOptions,
  type ResponseMetadata,
  readRateLimits,
  readRetryAfter,
  withCause,
} from "@tunic/core";
import { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai";
import { isRecord, shownJson, textAt, type WireRecord } from "./wire-values.js";

/** What is known about an answer beside its body. */
export interface ErrorSurroundings {
  readonly headers?: Headers | undefined;
  /** Milliseconds since the epoch, to read dates in headers against. */
  readonly now: number;
}

/**
 * A failure of the SDK as a {@link ChatClientError}; it stays the `cause`.
 *
 * @param baseURL Where the request went, for a hint where nothing is found there.
 */
export function toChatClientError(error: unknown, now: number, baseURL?: string): ChatClientError {
  if (error instanceof ChatClientError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof APIConnectionTimeoutError) {
    return new ChatClientError("timeout", message, { retryable: true, cause: error });
  }
  if (error instanceof APIConnectionError) {
    return lostConnection(message, error.cause, error);
  }
  if (error instanceof APIError) {
    const surroundings = { headers: error.headers, now };
    const text = error.status === 404 ? `${message}${addressHint(baseURL)}` : message;
    return fromStatus(error.status, error.error, text, surroundings, error);
  }
  if (error instanceof SyntaxError) return malformed(message, error);
  return new ChatClientError("unknown", message, { cause: error });
}

/** Most servers answer below /v1, and the SDK does not add it. */
function addressHint(baseURL: string | undefined): string {
  if (baseURL === undefined) return "";
  const { origin, pathname } = new URL(baseURL);
  if (pathname !== "/") return "";
  return ` (The baseURL is ${origin}; most servers want it with /v1: ${origin}/v1.)`;
}

/** A failure while a stream was being read: what the SDK does not know is a lost connection. */
export function toStreamError(
  error: unknown,
  surroundings: ErrorSurroundings,
  missing?: string,
): ChatClientError {
  if (error instanceof APIError && error.status === undefined && isRecord(error.error)) {
    return fromErrorObject(error.error, surroundings, error);
  }
  if (error instanceof APIError || error instanceof SyntaxError) {
    return toChatClientError(error, surroundings.now);
  }
  return cutStream(surroundings, error, missing);
}

/** No connection came about, or it was lost. */
export function lostConnection(
  message: string,
  reason: unknown,
  cause: unknown = reason,
): ChatClientError {
  return new ChatClientError("connection", withCause(message, reason), { retryable: true, cause });
}

/** The stream ended before the answer did. */
export function cutStream(
  surroundings: ErrorSurroundings,
  cause?: unknown,
  missing = "no finish reason and no [DONE]",
): ChatClientError {
  return new ChatClientError(
    "cut_stream",
    withCause(`The stream ended before the answer was complete: ${missing} came.`, cause),
    { retryable: true, ...requestIdOf(surroundings), ...(cause !== undefined && { cause }) },
  );
}

/** The service answered something that is no chat completion, or no response. */
export function malformed(
  detail: string,
  cause?: unknown,
  expected = "chat completion",
): ChatClientError {
  return new ChatClientError(
    "malformed_response",
    `The service sent what is no ${expected}: ${detail}`,
    { retryable: true, ...(cause !== undefined && { cause }) },
  );
}

/** An error object where an answer was expected: inside a stream, or in a body with status 200. */
export function fromErrorObject(
  error: WireRecord,
  surroundings: ErrorSurroundings,
  cause?: unknown,
): ChatClientError {
  const message = textAt(error, "message") || shownJson(error);
  const status = statusIn(error);
  if (status !== undefined) return fromStatus(status, error, message, surroundings, cause);
  const words = `${textAt(error, "type")} ${textAt(error, "code")}`;
  const [code, retryable] = wordCodes.find(([pattern]) => pattern.test(words))?.[1] ?? [
    "unknown",
    false,
  ];
  return new ChatClientError(code, message, {
    retryable,
    ...requestIdOf(surroundings),
    ...(cause !== undefined && { cause }),
  });
}

const wordCodes: readonly (readonly [RegExp, readonly [string, boolean]])[] = [
  [/insufficient_quota|billing/i, ["rate_limit", false]],
  [/rate_?limit|too_many/i, ["rate_limit", true]],
  [/overloaded|unavailable/i, ["overloaded", true]],
  [/timeout/i, ["timeout", true]],
  [/server_?error|internal|api_error/i, ["server_error", true]],
  [/authentication|api_key/i, ["authentication", false]],
  [/permission/i, ["permission", false]],
  [/not_found/i, ["not_found", false]],
  [/invalid|context_length|content|image|policy|residency/i, ["bad_request", false]],
];

function statusIn(error: WireRecord): number | undefined {
  for (const value of [error["status"], error["code"]]) {
    const status = Number(value);
    if (Number.isInteger(status) && status >= 400 && status < 600) return status;
  }
  return undefined;
}

function fromStatus(
  status: number | undefined,
  body: unknown,
  message: string,
  { headers, now }: ErrorSurroundings,
  cause: unknown,
): ChatClientError {
  const [code, mayRetry] = status === undefined ? (["unknown", false] as const) : codeOf(status);
  const retryAfterMs = readRetryAfter(headers, now);
  const options: ChatClientErrorOptions = {
    ...(status !== undefined && { status }),
    ...requestIdOf({ headers, now }),
    retryable: mayRetry && !isExhausted(body) && headers?.get("x-should-retry") !== "false",
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(cause !== undefined && { cause }),
  };
  return new ChatClientError(code, message, options);
}

function codeOf(status: number): readonly [code: string, retryable: boolean] {
  if (status === 401) return ["authentication", false];
  // 402: the account is empty. Like a missing permission, only a person can change that.
  if (status === 402 || status === 403) return ["permission", false];
  if (status === 404) return ["not_found", false];
  if (status === 408) return ["timeout", true];
  if (status === 409 || status === 429) return ["rate_limit", true];
  if (status === 503 || status === 529) return ["overloaded", true];
  // 501: the service will never do this, however often it is asked.
  if (status >= 500) return ["server_error", status !== 501];
  return ["bad_request", false];
}

/** A used-up quota has the status of a rate limit, but waiting does not help. */
function isExhausted(body: unknown): boolean {
  if (!isRecord(body)) return false;
  return /insufficient_quota|billing_hard_limit/.test(
    `${textAt(body, "code")} ${textAt(body, "type")}`,
  );
}

/** What the service says of an answer in its headers. */
export function metadataOf(surroundings: ErrorSurroundings): ResponseMetadata | undefined {
  const { headers, now } = surroundings;
  const rateLimits = headers && readRateLimits(headers, now);
  const metadata = { ...requestIdOf(surroundings), ...(rateLimits && { rateLimits }) };
  return Object.keys(metadata).length > 0 ? metadata : undefined;
}

/**
 * What Azure says where its filter has refused the input: status 400, and no answer. Undefined for
 * any other failure.
 */
export function filteredInput(error: unknown): string | undefined {
  if (!(error instanceof ChatClientError) || !(error.cause instanceof APIError)) return undefined;
  const body: unknown = error.cause.error;
  if (error.status !== 400 || !isRecord(body)) return undefined;
  const inner = isRecord(body["innererror"]) ? body["innererror"] : {};
  const blocked =
    textAt(body, "code") === "content_filter" ||
    textAt(inner, "code") === "ResponsibleAIPolicyViolation";
  return blocked ? textAt(body, "message") || error.message : undefined;
}

function requestIdOf({ headers }: ErrorSurroundings): { requestId?: string } {
  // Azure's gateway has a name of its own.
  const requestId = headers?.get("x-request-id") ?? headers?.get("apim-request-id");
  return requestId ? { requestId } : {};
}
