import { TunicError } from "./tunic-error.js";

/** What is known about a failed model call. */
export interface ChatClientErrorOptions {
  /** HTTP status, where the failure had one. */
  readonly status?: number | undefined;
  /** The service's id of the request, for its support and its logs. */
  readonly requestId?: string | undefined;
  /** Whether the same request may succeed later. Default false. */
  readonly retryable?: boolean | undefined;
  /** How long the service asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Why a model call failed. A client may have words of its own beside these. */
export type ChatClientErrorCode =
  | "authentication"
  | "permission"
  | "not_found"
  | "bad_request"
  | "rate_limit"
  | "overloaded"
  | "server_error"
  /** No connection came about, or it was lost before a whole answer had come. */
  | "connection"
  | "timeout"
  /** The service answered something that is no answer. */
  | "malformed_response"
  /** A stream ended before its answer did. */
  | "cut_stream"
  /** The service has no form for an option or a content; nothing was sent. */
  | "unsupported"
  | "unknown"
  | (string & {});

/** A model call failed; `code` is a {@link ChatClientErrorCode}. */
export class ChatClientError extends TunicError {
  declare readonly code: ChatClientErrorCode;
  /** HTTP status, where the failure had one. */
  readonly status?: number;
  /** The service's id of the request, for its support and its logs. */
  readonly requestId?: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** How long the service asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;

  constructor(code: ChatClientErrorCode, message: string, options: ChatClientErrorOptions = {}) {
    super(code, message, options);
    if (options.status !== undefined) this.status = options.status;
    if (options.requestId !== undefined) this.requestId = options.requestId;
    this.retryable = options.retryable ?? false;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}
