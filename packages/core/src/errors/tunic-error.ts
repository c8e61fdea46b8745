import type { Message } from "../messages/message.js";

/** What every error of Tunic carries beside its message. */
export interface TunicErrorOptions {
  /** What went wrong underneath. */
  readonly cause?: unknown;
}

/**
 * The root of the errors that a run rejects with. An abort is not one of them: it rejects with the
 * caller's own `signal.reason`.
 */
export class TunicError extends Error {
  /** Stable, for programs: message texts may change, codes do not. */
  readonly code: string;
  /**
   * What the run had added when it failed, as a valid log (every call that ran has its result).
   * Set by the run that rejects; absent on errors that were thrown outside a run.
   */
  transcript?: readonly Message[];

  constructor(code: string, message: string, options: TunicErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.code = code;
  }
}
