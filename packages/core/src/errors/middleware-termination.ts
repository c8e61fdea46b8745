import { TunicError } from "./tunic-error.js";

/** The orderly end of a run, decided by a handler or a tool: returned or thrown, it means the same. */
export class MiddlewareTermination<Result = unknown> extends TunicError {
  /** What the run ends with, in the type of the onion it comes from. */
  readonly result: Result;
  /** The middleware or tool that ended the run; the layer it leaves puts it there. */
  readonly endedBy: string | undefined;

  constructor(result: Result, endedBy?: string) {
    super("run_ended", "The run was ended by a middleware or a tool.");
    this.result = result;
    this.endedBy = endedBy;
  }

  /** The same end, under the name of whoever it comes from. @internal */
  by(name: string): MiddlewareTermination<Result> {
    return this.endedBy === undefined ? new MiddlewareTermination(this.result, name) : this;
  }
}

/**
 * Ends the run in order: siblings of a call finish, every call has a result, and the model is not
 * asked again. Return it from a handler or a tool, or throw it.
 *
 * @param result For a function handler or a tool: the result of this call. For a chat handler: the
 * response. For an agent handler: the agent's response.
 */
export function endRun<Result>(result: Result): MiddlewareTermination<Result> {
  return new MiddlewareTermination(result);
}
