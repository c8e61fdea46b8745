import { ConfigurationError } from "../errors/configuration-error.js";
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

/** Why the inside cannot run under what was given to `next()`. */
export function wrongBounds(name: string): MiddlewareError {
  return new MiddlewareError(
    "wrong_bounds",
    name,
    "called next() with a `signal` that is no AbortSignal; of an AbortController it is `controller.signal`.",
  );
}

/** Whether a value is a result; what lets nobody look is none. */
export function isResultOf<Context, Result>(
  onion: Onion<Context, Result>,
  value: unknown,
): value is Result {
  try {
    return onion.isResult(value);
  } catch {
    return false;
  }
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
    `returned ${kindOf(result)}; it must return ${onion.result}.`,
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
  // Of a configuration that does not fit, its own words are the most useful.
  if (isA(error, TunicError) || isA(error, ConfigurationError)) return error;
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
  if (!isResultOf(onion, ending.result)) {
    return new MiddlewareError(
      "wrong_result",
      name,
      `ended the run with ${kindOf(ending.result)}; it must be ${onion.result}.`,
    );
  }
  return ending.by(name);
}

/** A value in words, without what is in it: errors are read by others than results. */
function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value !== "object") return `a ${typeof value}`;
  try {
    if (Array.isArray(value)) return "a list";
    const keys = Object.keys(value).slice(0, 5).join(", ");
    return keys === "" ? "an empty object" : `an object with ${keys}`;
  } catch {
    return "an object that cannot be read";
  }
}
