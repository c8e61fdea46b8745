import type { MiddlewareTermination } from "../errors/middleware-termination.js";

/** Bounds for one pass of the inside. */
export interface Bounds {
  /**
   * The inside also runs under this signal. When it fires, `next` rejects with its reason at once,
   * whether the inside listens or not.
   */
  readonly signal?: AbortSignal;
}

/** Runs the inside, with the context as it stands now; resolves when the inside has finished. */
export type Next<Result> = (bounds?: Bounds) => Promise<Result>;

/**
 * A layer of an onion: does what it wants before and after, and returns the result. Not calling
 * `next` answers for the inside; calling it again, once the earlier call has settled, is a retry.
 */
export type Handler<Context, Result> = (
  context: Context,
  next: Next<Result>,
) => Promise<Result | MiddlewareTermination<Result>>;

/** A handler and the name of the middleware it belongs to. */
export interface Layer<Context, Result> {
  readonly name: string;
  readonly handler: Handler<Context, Result>;
}
