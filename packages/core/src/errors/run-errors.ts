import { messageOf } from "./thrown.js";
import { TunicError, type TunicErrorOptions } from "./tunic-error.js";

/** A second run was started on a session whose first run has not ended. */
export class SessionBusyError extends TunicError {
  constructor(sessionId: string) {
    super(
      "session_busy",
      `Session "${sessionId}" has a run in progress. Wait for it to end, or use another session.`,
    );
  }
}

/** What a caller handed to a run cannot be used. */
export class InputError extends TunicError {
  constructor(code: string, message: string) {
    super(code, message);
  }
}

/** Why an answer to an approval request was refused. */
export type ApprovalErrorCode =
  | "invalid_decision"
  | "unknown_request"
  | "request_closed"
  | "request_expired"
  | "already_answered"
  | "already_used"
  | "not_genuine"
  | "not_editable"
  | "invalid_edit"
  | "remember_needs_session";

/** An answer to an approval request cannot be used. Nothing ran, and nothing was recorded. */
export class ApprovalError extends InputError {
  declare readonly code: ApprovalErrorCode;
  /** The request that the answer names, where it names one. */
  readonly requestId: string | undefined;

  constructor(code: ApprovalErrorCode, message: string, requestId?: string) {
    super(code, message);
    this.requestId = requestId;
  }
}

/** The model called a tool that does not exist, and `terminateOnUnknownCalls` is set. */
export class UnknownToolError extends TunicError {
  constructor(name: string) {
    super("unknown_tool", `Error: Requested function "${name}" not found.`);
  }
}

/** A context provider has thrown: the run fails, and no model was asked. Code: `provider_failed`. */
export class ContextProviderError extends TunicError {
  /** The name of the provider. */
  readonly provider: string;

  /** @param cause What it has thrown. */
  constructor(provider: string, cause: unknown) {
    super("provider_failed", `Context provider "${provider}" failed: ${messageOf(cause)}`, {
      cause,
    });
    this.provider = provider;
  }
}

/** The reason a run is aborted with when its stream is left before the end. */
export class StreamClosedError extends TunicError {
  constructor() {
    super("stream_closed", "The stream was left before its end, so the run was stopped.");
  }
}

/** Why an answer holds no value of the form that was asked for. */
export type StructuredOutputErrorCode =
  /** There is no answer: the run paused, or ended without one. */
  | "no_answer"
  /** The model, or a filter of its service, refused. */
  | "refused"
  /** The answer was cut at its token limit. */
  | "cut_off"
  /** The answer is no JSON. */
  | "not_json"
  /** The answer is JSON and does not fit the schema; the message says where. */
  | "invalid_value"
  /** The schema can only be checked by waiting: use `readValue`. */
  | "asynchronous_schema";

/** `response.value` cannot be read. */
export class StructuredOutputError extends TunicError {
  declare readonly code: StructuredOutputErrorCode;
  /** The answer as the model wrote it. */
  readonly text: string;

  constructor(
    code: StructuredOutputErrorCode,
    message: string,
    text: string,
    options: TunicErrorOptions = {},
  ) {
    super(code, message, options);
    this.text = text;
  }
}
