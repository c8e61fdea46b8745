import { ApiError } from "@google/genai";
import {
  ChatClientError,
  ConfigurationError,
  isJsonObject,
  type JsonObject,
  withCause,
} from "@tunic/core";

/** How far a request got: before the answer, or while it comes in as a stream. */
export type Phase = "asking" | "streaming";

/** How the SDK fails at what is JSON, but no answer, and at chunks that are no JSON. */
const unreadable = /^exception parsing stream chunk|^Cannot (?:create|read|set)|is not iterable/;

/** Any failure of a request as a {@link ChatClientError}; what is one already stays as it is. */
export function toChatClientError(error: unknown, phase: Phase): Error {
  if (error instanceof ChatClientError || error instanceof ConfigurationError) return error;
  if (error instanceof ApiError) return fromService(error);
  const message = error instanceof Error ? error.message : String(error);
  const known = { cause: error, retryable: true };
  if (error instanceof SyntaxError || unreadable.test(message)) {
    return new ChatClientError(
      "malformed_response",
      `The answer is not what the Gemini API says it is: ${message}`,
      known,
    );
  }
  // The signal that the SDK was given did not fire, so its own time limit did.
  if (error instanceof Error && error.name === "AbortError") {
    return new ChatClientError("timeout", "The request took longer than its time limit.", known);
  }
  if (/^Incomplete JSON segment/.test(message)) {
    return new ChatClientError("cut_stream", "The stream ended in the middle of an event.", known);
  }
  // What fetch throws while a body comes in: the connection went away.
  if (error instanceof TypeError) {
    const code = phase === "streaming" ? "cut_stream" : "connection";
    return new ChatClientError(code, withCause(message, error.cause), known);
  }
  // The SDK refuses what only one of its two services knows before it sends anything.
  if (/only supported in|not supported in/.test(message)) {
    return new ChatClientError("unsupported", message, { cause: error });
  }
  return new ChatClientError("unknown", message, { cause: error });
}

function fromService(error: ApiError): ChatClientError {
  const body = bodyOf(error.message);
  const text = typeof body["message"] === "string" ? body["message"] : error.message;
  const code = codeOf(error.status, body);
  const retryAfterMs = retryDelayIn(body);
  return new ChatClientError(code, text.trim() || `The service answered ${error.status}.`, {
    cause: error,
    status: error.status,
    retryable: isRetryable(error.status, code, body),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** The SDK's message is the body's JSON text, inside a stream with words before it. */
function bodyOf(message: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(message.slice(message.indexOf("{")));
    const error = isJsonObject(parsed) ? parsed["error"] : undefined;
    if (!isJsonObject(error)) return {};
    // A body that does not call itself JSON comes as the message of another one.
    const inner = typeof error["message"] === "string" ? error["message"].trim() : "";
    const nested = inner.startsWith("{") ? bodyOf(inner) : {};
    return Object.keys(nested).length > 0 ? nested : error;
  } catch {
    return {};
  }
}

const codesByStatus: Readonly<Record<number, string>> = {
  401: "authentication",
  402: "permission",
  403: "permission",
  404: "not_found",
  408: "timeout",
  429: "rate_limit",
  503: "overloaded",
  504: "timeout",
  529: "overloaded",
};

function codeOf(status: number, body: JsonObject): string {
  const keyIsWrong =
    detailsIn(body).some(({ reason }) => reason === "API_KEY_INVALID") ||
    /API key not valid|API key expired/i.test(String(body["message"] ?? ""));
  if (status === 400 && keyIsWrong) return "authentication";
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

function isRetryable(status: number, code: string, body: JsonObject): boolean {
  // 501: the service will never do this, however often it is asked.
  if (status === 501) return false;
  // A quota of a day is not there again after the wait that the service names.
  if (quotasIn(body).some((quota) => /PerDay/i.test(quota))) return false;
  return status === 409 || retryableCodes.has(code);
}

function detailsIn({ details }: JsonObject): readonly JsonObject[] {
  return Array.isArray(details) ? details.filter(isJsonObject) : [];
}

function quotasIn(body: JsonObject): readonly string[] {
  return detailsIn(body).flatMap(({ violations }) =>
    Array.isArray(violations)
      ? violations.filter(isJsonObject).map(({ quotaId }) => String(quotaId ?? ""))
      : [],
  );
}

/** `retryDelay` of `google.rpc.RetryInfo`: seconds, as in "17s" or "0.5s". */
function retryDelayIn(body: JsonObject): number | undefined {
  for (const { retryDelay } of detailsIn(body)) {
    const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(String(retryDelay ?? "")) ?? [];
    if (seconds !== undefined) return Math.round(Number(seconds) * 1000);
  }
  return undefined;
}
