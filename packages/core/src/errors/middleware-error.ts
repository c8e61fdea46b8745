import { TunicError, type TunicErrorOptions } from "./tunic-error.js";

/**
 * A middleware was used wrongly or failed itself. Codes: `next_while_running`, `next_after_return`,
 * `left_running`, `nothing_returned`, `wrong_result`, `wrong_bounds`, `wrong_request`,
 * `tools_widened`, `late_transform`, `handler_failed` (the handler's own throw, as `cause`).
 */
export class MiddlewareError extends TunicError {
  /** The name of the middleware. */
  readonly middleware: string;

  constructor(code: string, middleware: string, message: string, options: TunicErrorOptions = {}) {
    super(code, `Middleware "${middleware}" ${message}`, options);
    this.middleware = middleware;
  }
}
