import { isA } from "../errors/thrown.js";
import { TunicError } from "../errors/tunic-error.js";
import type { RunEndOutcome } from "../events/run-events.js";
import type { Message } from "../messages/message.js";
import type { Usage } from "../messages/usage.js";
import type { Run } from "./run.js";

/** The part of a result that the end of a run tells about. */
interface Conducted {
  readonly outcome?: Exclude<RunEndOutcome, "aborted" | "failed">;
  readonly usage?: Usage;
}

/**
 * Takes a run from its start to its end: tells of both, gives a failure its transcript, stops what
 * is still going on when the exit is not orderly, and lets go of every listener.
 */
export async function conductRun<Result extends Conducted>(
  run: Run,
  messages: readonly Message[],
  work: () => Promise<Result>,
): Promise<Result> {
  const startedAt = run.now();
  run.emit("run.start", { messages });
  try {
    run.gate.throwIfAborted();
    const result = await work();
    endRun(run, startedAt, result.outcome ?? "completed", result.usage);
    return result;
  } catch (error) {
    const outcome = run.gate.external && error === run.gate.reason ? "aborted" : "failed";
    run.gate.abort(error);
    if (outcome === "failed") giveTranscript(error, run);
    endRun(run, startedAt, outcome, undefined, error);
    throw error;
  } finally {
    run.end();
  }
}

/** A frozen error cannot take the transcript; the event at the run's end has it all the same. */
function giveTranscript(error: unknown, run: Run): void {
  if (isA(error, TunicError) && Object.isExtensible(error)) error.transcript = run.transcript;
}

function endRun(
  run: Run,
  startedAt: number,
  outcome: RunEndOutcome,
  usage: Usage | undefined,
  error?: unknown,
): void {
  if (!run.observed) return;
  run.emit("run.end", {
    outcome,
    durationMs: run.now() - startedAt - run.waitedMs,
    rounds: run.rounds,
    transcript: run.transcript,
    ...(usage && { usage }),
    ...(error !== undefined && { error }),
  });
}
