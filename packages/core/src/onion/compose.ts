import { MiddlewareError } from "../errors/middleware-error.js";
import { MiddlewareTermination } from "../errors/middleware-termination.js";
import { TunicError } from "../errors/tunic-error.js";
import { AbortGate } from "./abort-gate.js";
import type { Layer, Next } from "./handler.js";

/** Who wants to know when a layer begins and ends. */
export interface LayerObserver {
  /** Returns what is to be called at the layer's end. */
  layerStarted(kind: string, middleware: string): (failed: boolean) => void;
}

/** What an onion knows of its own contexts and results; one for each kind. */
export interface Onion<Context, Result> {
  /** Which kind of handlers it is made of. */
  readonly kind: string;
  /** Who wants to know when a layer begins and ends; undefined when nobody does. */
  observer(own: Context): LayerObserver | undefined;
  /** A copy for the inside; with a signal, one that runs under it. */
  inside(own: Context, signal?: AbortSignal): Context;
  /** The signal that the context runs under. */
  signalOf(own: Context): AbortSignal;
  isResult(value: unknown): value is Result;
  /** Before the inside runs again. */
  begin?(own: Context): void | Promise<void>;
  /** Whether {@link passed} has anything to do, as the context stands. */
  changes?(own: Context): boolean;
  /** After a pass of the inside: what the handler gets of it. */
  passed?(own: Context, result: Result): Result | Promise<Result>;
  /** After the handler: `last` is what its last pass of the inside gave. */
  settle?(own: Context, result: Result, last: Result | undefined): Result | Promise<Result>;
  /** A mistake that nobody else would hear of. */
  stray?(own: Context, error: MiddlewareError): void;
  /** The outcome of a pass that was given up, when it comes in the end. */
  abandoned?(own: Context, outcome: "completed" | "failed", error?: unknown): void;
}

/** The inside of an onion, or the whole of it. */
export type Core<Context, Result> = (context: Context) => Promise<Result>;

/**
 * Puts layers around a core; the first is the outermost. Composed once, it serves any number of
 * runs at the same time. Without layers it is the core itself.
 */
export function compose<Context, Result>(
  layers: readonly Layer<Context, Result>[],
  onion: Onion<Context, Result>,
  core: Core<Context, Result>,
): Core<Context, Result> {
  if (layers.length === 0) return core;
  const whole = layers.reduceRight<Inside<Context, Result>>(
    (inner, layer) => around(layer, onion, inner),
    innermost(core),
  );
  return (context) => whole(context, undefined);
}

const idle = 0;
const running = 1;
const left = 2;

/** What is remembered of one pass through one layer. */
interface Pass<Result> {
  state: typeof idle | typeof running | typeof left;
  begun: boolean;
  current: Promise<Result> | undefined;
  last: Result | undefined;
  mistake: MiddlewareError | undefined;
  /** What the inside has thrown: it passes through, it is not the handler's own. */
  thrown: unknown[] | undefined;
}

/** What is inside a layer; it tells the layer's pass when it has settled, before anybody awaits it. */
type Inside<Context, Result> = (
  context: Context,
  outer: Pass<Result> | undefined,
) => Promise<Result>;

function tellPassed<Result>(outer: Pass<Result> | undefined, result: Result): Result {
  if (outer === undefined) return result;
  if (outer.state === running) outer.state = idle;
  outer.last = result;
  return result;
}

function tellThrown<Result>(outer: Pass<Result> | undefined, error: unknown): unknown {
  if (outer === undefined) return error;
  if (outer.state === running) outer.state = idle;
  outer.thrown ??= [];
  outer.thrown.push(error);
  return error;
}

function innermost<Context, Result>(core: Core<Context, Result>): Inside<Context, Result> {
  return (context, outer) =>
    core(context).then(
      (result) => tellPassed(outer, result),
      (error: unknown) => {
        throw tellThrown(outer, error);
      },
    );
}

/**
 * One layer around an inside. Written with `then` and plain functions, not with async functions and
 * a class: layers stand around every call, and this is several times cheaper (`pnpm bench`).
 */
function around<Context, Result>(
  layer: Layer<Context, Result>,
  onion: Onion<Context, Result>,
  inner: Inside<Context, Result>,
): Inside<Context, Result> {
  const { settle } = onion;
  return (own, outer) => {
    const pass: Pass<Result> = {
      state: idle,
      begun: false,
      current: undefined,
      last: undefined,
      mistake: undefined,
      thrown: undefined,
    };
    const next: Next<Result> = (bounds) => {
      if (pass.state !== idle) return refuse(layer.name, onion, own, pass);
      pass.state = running;
      const plain = !pass.begun && !bounds?.signal && !onion.changes?.(own);
      pass.current = plain
        ? inner(onion.inside(own), pass)
        : again(onion, own, inner, pass, bounds?.signal);
      pass.begun = true;
      return pass.current;
    };
    const returned = (result: Result | MiddlewareTermination<Result>): Result | Promise<Result> => {
      const wasRunning = pass.state === running;
      pass.state = left;
      if (wasRunning || pass.mistake || !onion.isResult(result)) {
        throw tellThrown(outer, wrongEnd(layer.name, pass, result, wasRunning));
      }
      const settled = settle ? settle.call(onion, own, result, pass.last) : result;
      if (!(settled instanceof Promise)) return tellPassed(outer, settled);
      return settled.then(
        (last) => tellPassed(outer, last),
        (error: unknown) => {
          throw tellThrown(outer, error);
        },
      );
    };
    const failed = (error: unknown): never => {
      if (pass.state === running) pass.current?.catch(ignore);
      pass.state = left;
      throw tellThrown(outer, attributed(layer.name, pass.thrown, error));
    };
    const observer = onion.observer(own);
    if (observer) return observed(observer, onion.kind, layer, own, next, returned, failed);
    return started(layer, own, next).then(returned, failed);
  };
}

function started<Context, Result>(
  { handler }: Layer<Context, Result>,
  own: Context,
  next: Next<Result>,
): Promise<Result | MiddlewareTermination<Result>> {
  try {
    // A handler in plain JavaScript may return without a promise.
    return Promise.resolve(handler(own, next));
  } catch (error) {
    return Promise.reject(error);
  }
}

async function observed<Context, Result>(
  observer: LayerObserver,
  kind: string,
  layer: Layer<Context, Result>,
  own: Context,
  next: Next<Result>,
  returned: (result: Result | MiddlewareTermination<Result>) => Result | Promise<Result>,
  failed: (error: unknown) => never,
): Promise<Result> {
  const ended = observer.layerStarted(kind, layer.name);
  let failure = true;
  try {
    const result = await started(layer, own, next).then(returned, failed);
    failure = false;
    return result;
  } finally {
    ended(failure);
  }
}

/** The inside where more is to be done than to run it: after an earlier pass, or under a bound. */
async function again<Context, Result>(
  onion: Onion<Context, Result>,
  own: Context,
  inner: Inside<Context, Result>,
  pass: Pass<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  try {
    if (pass.begun) await onion.begin?.(own);
    const through = async (bound: AbortSignal | undefined): Promise<Result> => {
      const result = await inner(onion.inside(own, bound), undefined);
      return onion.passed ? onion.passed(own, result) : result;
    };
    const result = await (signal ? bounded(onion, own, signal, through) : through(undefined));
    return tellPassed(pass, result);
  } catch (error) {
    throw tellThrown(pass, error);
  }
}

async function bounded<Context, Result>(
  onion: Onion<Context, Result>,
  own: Context,
  signal: AbortSignal,
  through: (bound: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const gate = new AbortGate();
  gate.follow(onion.signalOf(own));
  gate.follow(signal);
  try {
    gate.throwIfAborted();
    const work = through(gate.signal);
    return await gate.pass(work).catch((error: unknown) => {
      if (gate.aborted && error === gate.reason) tellLater(onion, own, work);
      throw error;
    });
  } finally {
    gate.release();
  }
}

function tellLater<Context, Result>(
  onion: Onion<Context, Result>,
  own: Context,
  work: Promise<Result>,
): void {
  work.then(
    () => onion.abandoned?.(own, "completed"),
    (error: unknown) => onion.abandoned?.(own, "failed", error),
  );
}

/** `next()` cannot be called now. */
function refuse<Context, Result>(
  name: string,
  onion: Onion<Context, Result>,
  own: Context,
  pass: Pass<Result>,
): Promise<never> {
  const mistake =
    pass.state === running
      ? new MiddlewareError(
          "next_while_running",
          name,
          "called next() while an earlier next() was running. Await that one first.",
        )
      : new MiddlewareError("next_after_return", name, "called next() after it had returned.");
  if (pass.state === left) onion.stray?.(own, mistake);
  pass.mistake ??= mistake;
  const rejection = Promise.reject(mistake);
  // Told of above, or thrown when the handler returns: nobody has to await this one as well.
  rejection.catch(ignore);
  return rejection;
}

/** Why what a handler returned is no result. */
function wrongEnd<Result>(
  name: string,
  pass: Pass<Result>,
  result: unknown,
  wasRunning: boolean,
): unknown {
  if (wasRunning) {
    // The handler has let go of it: its failure is nobody's any more.
    pass.current?.catch(ignore);
    return new MiddlewareError(
      "left_running",
      name,
      "returned while next() was running. It is probably missing an `await` before next().",
    );
  }
  if (pass.mistake) return pass.mistake;
  if (result instanceof MiddlewareTermination) return attributed(name, pass.thrown, result);
  if (result === undefined) {
    return new MiddlewareError(
      "nothing_returned",
      name,
      "returned nothing. Return what next() gave, or a result of its own.",
    );
  }
  return new MiddlewareError(
    "wrong_result",
    name,
    "returned something that is no result of this kind of handler.",
  );
}

function attributed(name: string, thrown: unknown[] | undefined, error: unknown): unknown {
  if (error instanceof MiddlewareTermination) error.endedBy ??= name;
  if (thrown?.includes(error) || error instanceof TunicError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new MiddlewareError("handler_failed", name, `failed: ${reason}`, { cause: error });
}

function ignore(): void {}
