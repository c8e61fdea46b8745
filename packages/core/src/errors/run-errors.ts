import { TunicError } from "./tunic-error.js";

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

/** The model called a tool that does not exist, and `terminateOnUnknownCalls` is set. */
export class UnknownToolError extends TunicError {
  constructor(name: string) {
    super("unknown_tool", `Error: Requested function "${name}" not found.`);
  }
}

/** The reason a run is aborted with when its stream is left before the end. */
export class StreamClosedError extends TunicError {
  constructor() {
    super("stream_closed", "The stream was left before its end, so the run was stopped.");
  }
}
