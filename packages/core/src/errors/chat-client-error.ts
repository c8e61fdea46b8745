import { TunicError } from "./tunic-error.js";

/** What is known about a failed model call. */
export interface ChatClientErrorOptions {
  /** HTTP status, where the failure had one. */
  readonly status?: number;
  /** The service's id of the request, for its support and its logs. */
  readonly requestId?: string;
  /** Whether the same request may succeed later. Default false. */
  readonly retryable?: boolean;
  /** How long the service asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/**
 * A model call failed. Codes: `authentication`, `permission`, `not_found`, `bad_request`,
 * `rate_limit`, `overloaded`, `server_error`, `connection`, `timeout`, `malformed_response`,
 * `cut_stream`, `unsupported`, `unknown`.
 */
export class ChatClientError extends TunicError {
  readonly status?: number;
  readonly requestId?: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;

  constructor(code: string, message: string, options: ChatClientErrorOptions = {}) {
    super(code, message, options);
    if (options.status !== undefined) this.status = options.status;
    if (options.requestId !== undefined) this.requestId = options.requestId;
    this.retryable = options.retryable ?? false;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}
