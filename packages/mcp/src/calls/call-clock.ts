import { ToolTimeoutError, withAbort } from "@tunic/core";

/** The clock of a run. */
export interface Clock {
  setTimer(callback: () => void, ms: number): () => void;
}

export interface CallLimits {
  /** Without a sign of progress. */
  readonly timeoutMs: number;
  /** In all. */
  readonly maxTotalTimeoutMs: number;
}

/**
 * Runs a call under its time limits. Every sign of progress gives it `timeoutMs` again, and none gives it more
 * than `maxTotalTimeoutMs`.
 *
 * @param work Gets a signal that fires when the time is up, and what to call at each sign of progress.
 * @throws ToolTimeoutError when the time is up; the reason of the signal, as it is.
 */
export async function withinLimits<Value>(
  clock: Clock,
  { timeoutMs, maxTotalTimeoutMs }: CallLimits,
  signal: AbortSignal,
  work: (signal: AbortSignal, progressed: () => void) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const end = (ms: number, what: string) => () => {
    const fix = `The server did not answer within ${ms} ms${what}; the call was cancelled, and may or may not have had an effect.`;
    controller.abort(new ToolTimeoutError(fix, { fix }));
  };
  const idle = end(timeoutMs, "");
  let cancelIdle = clock.setTimer(idle, timeoutMs);
  const cancelTotal = clock.setTimer(end(maxTotalTimeoutMs, " in all"), maxTotalTimeoutMs);
  try {
    return await withAbort(signal, (outer) => {
      outer.addEventListener("abort", () => controller.abort(outer.reason), { once: true });
      return withAbort(controller.signal, (inner) =>
        work(inner, () => {
          cancelIdle();
          cancelIdle = clock.setTimer(idle, timeoutMs);
        }),
      );
    });
  } finally {
    cancelIdle();
    cancelTotal();
  }
}
