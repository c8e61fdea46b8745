import { isJsonObject } from "@tunic/core";
import { McpError } from "../mcp-error.js";
import { plainText } from "../plain-text.js";
import { shortened } from "../transports/noise-log.js";
import { isHttpError, isSdkError } from "./sdk-error-kinds.js";
import { identityNeeded, isUnauthorized, signInNeeded } from "./sign-in.js";

/** JSON-RPC codes that the first line of the SDK also uses for what happens on this side. */
const connectionClosed = -32000;
const methodNotFound = -32601;
const noServerError: ReadonlySet<string> = new Set([
  "NOT_CONNECTED",
  "CONNECTION_CLOSED",
  "SEND_FAILED",
]);

/** Where nothing has been sent: nobody listens there, or the name leads nowhere. */
const neverSent: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/**
 * What an SDK threw, in the words of this package. Errors are told apart by their members: there may be
 * several copies of an SDK, and a ready client brings its own.
 *
 * @param established Whether the server has a session of ours: then "no such session" means that it has ended.
 */
export function toMcpError(error: unknown, established: boolean): unknown {
  if (error instanceof McpError || !(error instanceof Error)) return error;
  if (isUnauthorized(error)) return signInNeeded("The server", error);
  const { code, data } = error as Error & Readonly<Record<string, unknown>>;
  const message = shownText(error.message);
  const httpStatus = httpStatusOf(error);
  if (httpStatus !== undefined) return ofStatus(httpStatus, error, established);
  if (typeof code === "string" && noServerError.has(code)) {
    return lost(message, error, code === "NOT_CONNECTED");
  }
  if (message === "Not connected") return lost(message, error, true);
  if (code === connectionClosed && /connection closed/i.test(message)) {
    return lost("The connection was closed.", error, false);
  }
  if (typeof code === "number") {
    // The first line writes the code into the message, on each side that has one.
    const text = message.replace(new RegExp(`^(?:MCP error ${code}: )+`), "");
    return new McpError("mcp_request_failed", text, { cause: error, rpcCode: code, data });
  }
  if (isNetworkError(error)) {
    return lost(innermost(error).message, error, neverSent.has(codeOf(innermost(error))));
  }
  return new McpError("mcp_wrong_answer", message, { cause: error });
}

/** Of an error. What is longer is no message. */
const longestError = 4000;

/** Most of it is the server's: a page of HTML, or whatever else it has sent in place of an answer. */
export function shownText(text: string): string {
  return plainText(shortened(text, longestError));
}

/** An answer over HTTP that is none of the protocol. */
function ofStatus(status: number, error: Error, established: boolean): McpError {
  const message = shownText(error.message);
  const unknown = status === 404 ? methodNotFoundIn(error) : undefined;
  if (unknown !== undefined) {
    return new McpError("mcp_request_failed", shownText(unknown), {
      cause: error,
      rpcCode: methodNotFound,
    });
  }
  if (established && isSessionGone(status, message)) {
    return lost("The server has ended the session.", error, true);
  }
  if (status === 401) return identityNeeded("The server", error);
  const notSent = status === 403 || status === 429;
  return new McpError("mcp_request_failed", message, { cause: error, rpcCode: status, notSent });
}

function lost(message: string, cause: unknown, notSent: boolean): McpError {
  return new McpError("mcp_connection_lost", message, { cause, notSent });
}

/** The status of an HTTP answer that an SDK has made an error of. */
export function httpStatusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, data, status } = error as Error & Readonly<Record<string, unknown>>;
  const inData = isJsonObject(data) ? data["status"] : undefined;
  const candidates = [status, inData, isHttpError(error) && code];
  return candidates.find(
    (each): each is number => typeof each === "number" && each >= 100 && each < 600,
  );
}

/**
 * What a server says that does not know a method: revision 2026-07-28 has it say that with 404, and the second line of the
 * SDK keeps such an answer as a text.
 */
function methodNotFoundIn(error: Error): string | undefined {
  const { data } = error as Error & Readonly<Record<string, unknown>>;
  const { text } = isJsonObject(data) ? data : {};
  if (typeof text !== "string") return undefined;
  try {
    const answer = JSON.parse(text);
    return answer.error.code === methodNotFound ? String(answer.error.message) : undefined;
  } catch {
    return undefined;
  }
}

/** 404 is the answer of the specification; some servers say it with 400. */
function isSessionGone(status: number, message: string): boolean {
  return status === 404 || (status === 400 && /\bsession\b/i.test(message));
}

/** What `fetch` and sockets throw. */
function isNetworkError(error: Error): boolean {
  const { message } = error;
  return (
    (error instanceof TypeError && /fetch failed|terminated|network/i.test(message)) ||
    // The second line of the SDK has codes in texts of its own, for answers that it does not take.
    (!isSdkError(error) && typeof codeOf(innermost(error)) === "string")
  );
}

function innermost(error: Error): Error {
  let inner = error;
  for (let depth = 0; depth < 8; depth++) {
    const cause: unknown = inner instanceof AggregateError ? inner.errors[0] : inner.cause;
    if (!(cause instanceof Error)) break;
    inner = cause;
  }
  return inner;
}

function codeOf(error: Error): unknown {
  return "code" in error ? error.code : undefined;
}
