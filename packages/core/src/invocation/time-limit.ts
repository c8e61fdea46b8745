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

/** Stops the run's work when its time is up; time that its consumer took does not count. */
export function startTimeLimit(run: Run, maxDurationMs: number): TimeLimit {
  const reason = new TimeIsUp(maxDurationMs);
  const startedAt = run.now();
  const waitedBefore = run.waitedMs;
  const left = (): number =>
    maxDurationMs - (run.now() - startedAt - (run.waitedMs - waitedBefore));
  let cancel = (): void => {};
  const arm = (ms: number): void => {
    cancel = run.environment.setTimer(() => {
      const rest = left();
      if (rest > 0) arm(rest);
      else run.gate.abort(reason);
    }, ms);
  };
  run.gate.arm();
  arm(maxDurationMs);
  const ended = run.limitTime(left);
  return {
    reason,
    cancel() {
      cancel();
      ended();
    },
  };
}
