import { MiddlewareError } from "../errors/middleware-error.js";
import { MiddlewareTermination } from "../errors/middleware-termination.js";
import { isA } from "../errors/thrown.js";
import { AbortGate } from "./abort-gate.js";
import type { Layer, Next } from "./handler.js";
import {
  attributed,
  handlerFailed,
  isResultOf,
  leftRunning,
  nextAfterReturn,
  nextWhileRunning,
  wrongBounds,
  wrongResult,
} from "./handler-errors.js";
import type { Core, LayerObserver, Mistake, Onion } from "./onion.js";

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
  // A handler that has not awaited it yet, and perhaps never will, must not end the process.
  outer.current?.catch(ignore);
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
  const { kind, observer: observerOf, inside, mistake, changes, settle } = onion;
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
      const wrong = mistake?.(own);
      if (wrong) return refusal(pass, told(layer.name, wrong));
      if (bounds?.signal && typeof bounds.signal.addEventListener !== "function") {
        return refusal(pass, wrongBounds(layer.name));
      }
      pass.state = running;
      const plain = !pass.begun && !bounds?.signal && !changes?.(own);
      pass.current = plain
        ? inner(inside(own), pass)
        : again(layer.name, onion, own, inner, pass, bounds?.signal);
      pass.begun = true;
      return pass.current;
    };
    const returned = (result: Result | MiddlewareTermination<Result>): Result | Promise<Result> => {
      const wrong = endOf(layer.name, onion, own, pass, result);
      if (wrong !== undefined) return over(onion, own, outer, wrong);
      const settled = settle ? settle(own, result as Result, pass.last) : (result as Result);
      if (!(settled instanceof Promise)) return tellPassed(outer, settled);
      return settled.then(
        (last) => tellPassed(outer, last),
        (error: unknown) => {
          throw tellThrown(outer, error);
        },
      );
    };
    const failed = (error: unknown): Result => {
      pass.state = left;
      return over(onion, own, outer, attributed(layer.name, onion, own, pass.thrown, error));
    };
    const observer = observerOf(own);
    if (observer) return observed(observer, kind, layer, own, next, returned, failed);
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
  failed: (error: unknown) => Result,
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
  name: string,
  onion: Onion<Context, Result>,
  own: Context,
  inner: Inside<Context, Result>,
  pass: Pass<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  try {
    if (pass.begun) {
      // What the earlier pass let out is taken back: its result would have to be sent again.
      pass.last = undefined;
      await onion.begin?.(own);
    }
    const through = async (bound: AbortSignal | undefined): Promise<Result> => {
      const result = await inner(onion.inside(own, bound), undefined);
      // Nobody waits for it any more.
      if (bound?.aborted) return result;
      return onion.passed ? onion.passed(own, result) : result;
    };
    const result = await (signal ? bounded(onion, own, signal, through) : through(undefined));
    return tellPassed(pass, result);
  } catch (error) {
    throw tellThrown(pass, await insideFailure(name, onion, own, error));
  }
}

/** What the inside failed with: a transform's failure is its handler's, whatever was made of it. */
async function insideFailure<Context, Result>(
  name: string,
  onion: Onion<Context, Result>,
  own: Context,
  error: unknown,
): Promise<unknown> {
  const failure = onion.failure?.(own);
  if (failure) return handlerFailed(name, failure.error);
  if (!onion.ended || !isA<MiddlewareTermination<Result>>(error, MiddlewareTermination))
    return error;
  try {
    const result = await onion.ended(own, error.result);
    return result === error.result ? error : new MiddlewareTermination(result, error.endedBy);
  } catch (failed) {
    return handlerFailed(name, failed);
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
    (result) => onion.abandoned?.(own, "completed", undefined, result),
    (error: unknown) => onion.abandoned?.(own, "failed", error),
  );
}

/** A layer has failed, or ends the run. */
function over<Context, Result>(
  onion: Onion<Context, Result>,
  own: Context,
  outer: Pass<Result> | undefined,
  error: unknown,
): Result {
  if (onion.ending && isA<MiddlewareTermination<Result>>(error, MiddlewareTermination)) {
    return tellPassed(outer, onion.ending(own, error));
  }
  throw tellThrown(outer, error);
}

/** The handler has returned: what was wrong with that, if anything. */
function endOf<Context, Result>(
  name: string,
  onion: Onion<Context, Result>,
  own: Context,
  pass: Pass<Result>,
  result: Result | MiddlewareTermination<Result>,
): unknown {
  if (pass.state === running) pass.mistake ??= leftRunning(name);
  pass.state = left;
  if (pass.mistake) return pass.mistake;
  const late = pass.begun && onion.changes?.(own) ? onion.late?.(own) : undefined;
  if (late) return told(name, late);
  // What next() gave has been looked at already.
  if (result !== undefined && result === pass.last) return undefined;
  return isResultOf(onion, result) ? undefined : wrongResult(name, onion, own, pass.thrown, result);
}

/** `next()` cannot be called now. */
function refuse<Context, Result>(
  name: string,
  onion: Onion<Context, Result>,
  own: Context,
  pass: Pass<Result>,
): Promise<never> {
  if (pass.state === running) return refusal(pass, nextWhileRunning(name));
  const mistake = nextAfterReturn(name);
  onion.stray?.(own, mistake);
  return refusal(pass, mistake);
}

function refusal<Result>(pass: Pass<Result>, mistake: MiddlewareError): Promise<never> {
  pass.mistake ??= mistake;
  const rejection = Promise.reject(mistake);
  // Told of above, or thrown when the handler returns: nobody has to await this one as well.
  rejection.catch(ignore);
  return rejection;
}

function told(name: string, { code, message }: Mistake): MiddlewareError {
  return new MiddlewareError(code, name, message);
}

function ignore(): void {}
