import { onAbort, ToolTimeoutError } from "@tunic/core";
import { Cancellation } from "../client/cancellation.js";
import { cancelled } from "../client/run-request.js";

/** The clock of a run. */
export interface Clock {
  now(): number;
  setTimer(callback: () => void, ms: number): () => void;
}

export interface CallLimits {
  /** Without a sign of progress. */
  readonly timeoutMs: number;
  /** In all. */
  readonly maxTotalTimeoutMs: number;
  /** Whether the call may be made again when its time was up: nobody knows then what it has done. */
  readonly repeatable: boolean;
}

/**
 * Runs a call under its time limits. Every sign of progress gives it `timeoutMs` again, and none gives it more
 * than `maxTotalTimeoutMs`.
 *
 * @param work Gets what ends when nobody waits for it any more, and what to call at each sign of progress. What goes on
 * after its value has come is not ended by the time limits.
 * @throws ToolTimeoutError when the time is up; the reason of the signal, as it is.
 */
export function withinLimits<Value>(
  clock: Clock,
  { timeoutMs, maxTotalTimeoutMs, repeatable }: CallLimits,
  outer: AbortSignal,
  work: (cancellation: Cancellation, progressed: () => void) => Promise<Value>,
): Promise<Value> {
  // One promise and one timer: calls are many.
  return new Promise<Value>((resolve, reject) => {
    if (outer.aborted) throw outer.reason;
    const cancellation = new Cancellation();
    const end = clock.now() + maxTotalTimeoutMs;
    let isOver = false;
    const release = (): void => {
      isOver = true;
      cancelTimer();
      unfollow();
    };
    const stop = (reason: unknown): void => {
      release();
      reject(reason);
      cancellation.abort(cancelled);
    };
    const startTimer = (): (() => void) => {
      const left = end - clock.now();
      return left <= timeoutMs
        ? clock.setTimer(() => stop(late(maxTotalTimeoutMs, " in all", repeatable)), left)
        : clock.setTimer(() => stop(late(timeoutMs, "", repeatable)), timeoutMs);
    };
    let cancelTimer = startTimer();
    const unfollow = onAbort(outer, () => stop(outer.reason));
    const progressed = (): void => {
      if (isOver) return;
      cancelTimer();
      cancelTimer = startTimer();
    };
    work(cancellation, progressed).then(
      (value) => {
        release();
        resolve(value);
      },
      (error: unknown) => {
        release();
        reject(error);
      },
    );
  });
}

function late(ms: number, what: string, retryable: boolean): ToolTimeoutError {
  const fix = `The server did not answer within ${ms} ms${what}; the call was cancelled, and may or may not have had an effect.`;
  return new ToolTimeoutError(fix, { fix, retryable });
}
