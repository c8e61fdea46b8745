import { TunicError } from "../errors/tunic-error.js";
import type { Run } from "../run/run.js";

/** What a run's signal fires with when its time is up. */
class TimeIsUp extends TunicError {
  constructor(maxDurationMs: number) {
    super("time_is_up", `The run took longer than maxDurationMs (${maxDurationMs}).`);
  }
}

/** The time limit of a run, ticking. */
export interface TimeLimit {
  readonly reason: TimeIsUp;
  cancel(): void;
}

/** Longer timers fire at once: a delay is kept in 32 bits. */
const longestTimerMs = 2 ** 31 - 1;

/** Stops the run's work when its time is up; time that its consumer took does not count. */
export function startTimeLimit(run: Run, maxDurationMs: number): TimeLimit {
  const reason = new TimeIsUp(maxDurationMs);
  const startedAt = run.now();
  const waitedBefore = run.waitedMs;
  const left = (): number =>
    maxDurationMs - (run.now() - startedAt - (run.waitedMs - waitedBefore));
  let cancel = (): void => {};
  let rest = maxDurationMs;
  const arm = (): void => {
    const waited = run.waitedMs;
    const ms = Math.min(rest, longestTimerMs);
    cancel = run.environment.setTimer(() => {
      // The timer's time has passed, whatever a clock says that was set back meanwhile.
      rest -= ms - Math.max(0, Math.min(ms, run.waitedMs - waited));
      if (rest > 0) arm();
      else run.gate.abort(reason);
    }, ms);
  };
  run.gate.arm();
  arm();
  const ended = run.limitTime(left);
  return {
    reason,
    cancel() {
      cancel();
      ended();
    },
  };
}
