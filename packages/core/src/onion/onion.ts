import type { MiddlewareError } from "../errors/middleware-error.js";
import type { MiddlewareTermination } from "../errors/middleware-termination.js";

/** Who wants to know when a layer begins and ends. */
export interface LayerObserver {
  /** Returns what is to be called at the layer's end. */
  layerStarted(kind: string, middleware: string): (failed: boolean) => void;
}

/** What a handler did wrong; the message goes on after its name. */
export interface Mistake {
  readonly code: string;
  readonly message: string;
}

/** What an onion knows of its own contexts and results; one for each kind. */
export interface Onion<Context, Result> {
  /** Which kind of handlers it is made of. */
  readonly kind: string;
  /** What a handler returns, in words, and how one is made. */
  readonly result: string;
  /** Who wants to know when a layer begins and ends; undefined when nobody does. */
  observer(own: Context): LayerObserver | undefined;
  /** A copy for the inside; with a signal, one that runs under it. */
  inside(own: Context, signal?: AbortSignal): Context;
  /** The signal that the context runs under. */
  signalOf(own: Context): AbortSignal;
  isResult(value: unknown): value is Result;
  /** What is wrong with the context that the inside is to get. */
  mistake?(own: Context): Mistake | undefined;
  /** Before the inside runs again. */
  begin?(own: Context): void | Promise<void>;
  /** Whether {@link passed} has anything to do, as the context stands. */
  changes?(own: Context): boolean;
  /** After a pass of the inside: what the handler gets of it. */
  passed?(own: Context, result: Result): Result | Promise<Result>;
  /** What the handler itself, beside its function, has failed with during the pass that just ended. */
  failure?(own: Context): { readonly error: unknown } | undefined;
  /** What the handler has asked for that can no longer be, after its last pass of the inside. */
  late?(own: Context): Mistake | undefined;
  /**
   * Makes a result of an orderly end that a handler has returned or thrown, where those further out
   * still have a say; without it, the end passes them like an error.
   */
  ending?(own: Context, ending: MiddlewareTermination<Result>): Result;
  /** What the handler has set up for what comes out holds for the result of a run that is ended inside. */
  ended?(own: Context, result: Result): Result | Promise<Result>;
  /** After the handler: `last` is what its last pass of the inside gave. */
  settle?(own: Context, result: Result, last: Result | undefined): Result | Promise<Result>;
  /** A mistake that nobody else would hear of. */
  stray?(own: Context, error: MiddlewareError): void;
  /** The outcome of a pass that was given up, when it comes in the end. */
  abandoned?(own: Context, outcome: "completed" | "failed", error?: unknown, result?: Result): void;
}

/** The inside of an onion, or the whole of it. */
export type Core<Context, Result> = (context: Context) => Promise<Result>;
