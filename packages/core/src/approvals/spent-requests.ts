import type { RunEnvironment } from "../run/environment.js";

/** Remembers which requests have been used, beside the session: for copies of one, and for runs without one. */
export interface SpentRequests {
  /**
   * Takes a request for the one run that may use it. Atomic: of several callers, in however many
   * processes, one gets `true`.
   *
   * @param until Milliseconds since the epoch: nobody asks for this id later than that.
   */
  take(requestId: string, until: number): boolean | PromiseLike<boolean>;
  /** Gives a request back of which nothing has run. Left out: it stays used, and has to be asked anew. */
  release?(requestId: string): unknown;
}

/** Used requests in the memory of this process: enough for one server, forgotten by a restart. */
export function memorySpentRequests(now: () => number = Date.now): SpentRequests {
  const until = new Map<string, number>();
  let nextSweep = 0;
  return {
    take(requestId, expiresAt) {
      const time = now();
      if (time >= nextSweep) {
        for (const [id, end] of until) if (end <= time) until.delete(id);
        nextSweep = time + sweepEveryMs;
      }
      if (until.has(requestId)) return false;
      until.set(requestId, Math.min(expiresAt, time + longestMs));
      return true;
    },
    release(requestId) {
      until.delete(requestId);
    },
  };
}

const sweepEveryMs = 60_000;
/** What never expires is remembered so long: by then its session knows that it is closed. */
const longestMs = 7 * 24 * 60 * 60 * 1000;

const ofEnvironments = new WeakMap<RunEnvironment, SpentRequests>();

/** The used requests of a process: shared by all its agents, so that a new agent for each request is no gap. */
export function processSpentRequests(environment: RunEnvironment): SpentRequests {
  const known = ofEnvironments.get(environment);
  if (known) return known;
  const made = memorySpentRequests(() => environment.now());
  ofEnvironments.set(environment, made);
  return made;
}
