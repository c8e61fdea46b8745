import { APIConnectionError, APIConnectionTimeoutError, APIError } from "@anthropic-ai/sdk";
import {
  ChatClientError,
  type ChatClientErrorOptions,
  ConfigurationError,
  readRetryAfter,
  withCause,
} from "@tunic/core";

/** What is known about the request that failed, beside the error itself. */
export interface FailureContext {
  /** Before the answer, while it comes in as a stream, or while what came in is read. */
  readonly phase: "asking" | "streaming" | "reading";
  readonly requestId?: string | undefined;
  /** Milliseconds since the epoch, to read dates against. */
  readonly now: number;
  /** Where the request went, for a hint where nothing is found there. */
  readonly baseURL?: string | undefined;
}

/** Any failure of a request as a {@link ChatClientError}; what is one already stays as it is. */
export function toChatClientError(error: unknown, context: FailureContext): Error {
  if (error instanceof ChatClientError || error instanceof ConfigurationError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const known = { cause: error, ...(context.requestId && { requestId: context.requestId }) };
  if (error instanceof APIConnectionTimeoutError) {
    return new ChatClientError("timeout", message, { ...known, retryable: true });
  }
  if (error instanceof APIConnectionError) {
    const text = withCause(message, error.cause);
    return new ChatClientError("connection", text, { ...known, retryable: true });
  }
  if (error instanceof APIError) return fromService(error, known, context);
  if (error instanceof SyntaxError || context.phase === "reading") {
    const text = `The answer is not what the Messages API says it is: ${message}`;
    return new ChatClientError("malformed_response", text, known);
  }
  // What fetch throws while a body comes in: the connection went away.
  if (error instanceof TypeError) {
    const code = context.phase === "streaming" ? "cut_stream" : "connection";
    const text = withCause("The answer broke off.", error);
    return new ChatClientError(code, text, { ...known, retryable: true });
  }
  return new ChatClientError("unknown", message, known);
}

function fromService(
  error: APIError,
  known: ChatClientErrorOptions,
  { now, baseURL }: FailureContext,
): ChatClientError {
  const code = codeOf(error.status, error.type);
  const requestId = error.requestID ?? known.requestId;
  const retryAfterMs = readRetryAfter(error.headers, now);
  const hint = error.status === 404 ? addressHint(baseURL) : "";
  return new ChatClientError(code, `${error.message}${hint}`, {
    ...known,
    ...(error.status !== undefined && { status: error.status }),
    ...(requestId && { requestId }),
    retryable: isRetryable(error, code),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** The SDK adds /v1 itself. */
function addressHint(baseURL: string | undefined): string {
  if (baseURL === undefined || !/\/v1\/?$/.test(baseURL)) return "";
  return " (The baseURL ends in /v1, which the SDK adds itself: leave it out.)";
}

const codesByStatus: Readonly<Record<number, string>> = {
  401: "authentication",
  402: "permission",
  403: "permission",
  404: "not_found",
  408: "timeout",
  429: "rate_limit",
  504: "timeout",
  529: "overloaded",
};

/** The errors that the vendor names in a body; those inside a stream have no status. */
const codesByType: ReadonlyMap<string | null, string> = new Map([
  ["invalid_request_error", "bad_request"],
  ["request_too_large", "bad_request"],
  ["authentication_error", "authentication"],
  ["billing_error", "permission"],
  ["permission_error", "permission"],
  ["not_found_error", "not_found"],
  ["rate_limit_error", "rate_limit"],
  ["timeout_error", "timeout"],
  ["api_error", "server_error"],
  ["overloaded_error", "overloaded"],
]);

function codeOf(status: number | undefined, type: string | null): string {
  if (type === "overloaded_error") return "overloaded";
  if (status === undefined) return codesByType.get(type) ?? "unknown";
  const code = codesByStatus[status];
  if (code) return code;
  if (status >= 500) return "server_error";
  return status >= 400 ? "bad_request" : "unknown";
}

const retryableCodes: ReadonlySet<string> = new Set([
  "rate_limit",
  "overloaded",
  "server_error",
  "timeout",
]);

/** The service's own word counts before the rule; 409 means that something is locked for now. */
function isRetryable({ status, headers }: APIError, code: string): boolean {
  const word = headers?.get("x-should-retry");
  if (word === "true" || word === "false") return word === "true";
  return status === 409 || retryableCodes.has(code);
}
