import { MiddlewareError } from "../errors/middleware-error.js";
import { MiddlewareTermination } from "../errors/middleware-termination.js";
import { isA, messageOf } from "../errors/thrown.js";
import { TunicError } from "../errors/tunic-error.js";
import type { Onion } from "./onion.js";

/** Why `next()` cannot be called while an earlier call of it runs. */
export function nextWhileRunning(name: string): MiddlewareError {
  return new MiddlewareError(
    "next_while_running",
    name,
    "called next() while an earlier next() was running. Await that one first.",
  );
}

/** Why `next()` cannot be called any more. */
export function nextAfterReturn(name: string): MiddlewareError {
  return new MiddlewareError("next_after_return", name, "called next() after it had returned.");
}

/** Why a handler cannot return yet. */
export function leftRunning(name: string): MiddlewareError {
  return new MiddlewareError(
    "left_running",
    name,
    "returned while next() was running. It is probably missing an `await` before next().",
  );
}

/** Why what a handler returned is no result. */
export function wrongResult<Context, Result>(
  name: string,
  onion: Onion<Context, Result>,
  own: Context,
  thrown: readonly unknown[] | undefined,
  result: unknown,
): unknown {
  if (isA(result, MiddlewareTermination)) return attributed(name, onion, own, thrown, result);
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

/** What a handler has thrown, as the outside gets it; what the inside threw passes as it is. */
export function attributed<Context, Result>(
  name: string,
  onion: Onion<Context, Result>,
  own: Context,
  thrown: readonly unknown[] | undefined,
  error: unknown,
): unknown {
  if (thrown?.includes(error)) return error;
  if (isA(error, MiddlewareTermination)) return termination(name, onion, error);
  if (isA(error, TunicError)) return error;
  const signal = onion.signalOf(own);
  // An abort passes untouched, also where the handler waited for something of its own.
  if (signal.aborted && error === signal.reason) return error;
  return handlerFailed(name, error);
}

/** What a handler failed with, under its name. */
export function handlerFailed(name: string, error: unknown): MiddlewareError {
  return new MiddlewareError("handler_failed", name, `failed: ${messageOf(error)}`, {
    cause: error,
  });
}

function termination<Context, Result>(
  name: string,
  onion: Onion<Context, Result>,
  ending: MiddlewareTermination,
): TunicError {
  if (!onion.isResult(ending.result)) {
    return new MiddlewareError(
      "wrong_result",
      name,
      "ended the run with something that is no result of this kind of handler.",
    );
  }
  ending.endedBy ??= name;
  return ending;
}
