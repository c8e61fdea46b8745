import { defined } from "../messages/defined.js";
import { TunicError } from "./tunic-error.js";

/** What a tool can say about its own failure. */
export interface ToolErrorOptions {
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean | undefined;
  /** What the model can do about it, in words for the model; always shown to it. */
  readonly fix?: string | undefined;
  readonly cause?: unknown;
}

/**
 * A failure that a tool throws on purpose. The call becomes an error result with this `code`; the
 * `message` is for logs and reaches the model only with `includeDetailedErrors`, `fix` always does.
 */
export class ToolError extends TunicError {
  readonly retryable: boolean;
  readonly fix?: string;

  constructor(
    message: string,
    options: ToolErrorOptions & { readonly code?: string | undefined } = {},
  ) {
    super(options.code ?? "tool_error", message, options);
    this.retryable = options.retryable ?? false;
    if (options.fix !== undefined) this.fix = options.fix;
  }
}

/** The work behind the tool took too long. Retryable. */
export class ToolTimeoutError extends ToolError {
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, { retryable: true, ...defined(options), code: "tool_timeout" });
  }
}

/** The service behind the tool refuses for now. Retryable, after `retryAfter`. */
export class ToolRateLimitError extends ToolError {
  /** How long to wait before the next try, in seconds. */
  readonly retryAfter?: number;

  constructor(
    message: string,
    options: ToolErrorOptions & { readonly retryAfter?: number | undefined } = {},
  ) {
    super(message, { retryable: true, ...defined(options), code: "tool_rate_limit" });
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter;
  }
}

/** The tool lacks the credentials or the permission for this. */
export class ToolAuthError extends ToolError {
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, { ...options, code: "tool_auth" });
  }
}

/** The arguments make no sense to the tool. Its message is always shown to the model. */
export class ToolInvalidArgumentsError extends ToolError {
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, { ...options, code: "invalid_arguments" });
  }
}

/** The service behind the tool failed. Retryable unless said otherwise. */
export class ToolServiceError extends ToolError {
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, { retryable: true, ...defined(options), code: "tool_service" });
  }
}
