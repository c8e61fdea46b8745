import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { RunEnvironment } from "../run/environment.js";
import { memorySpentRequests, processSpentRequests } from "./spent-requests.js";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A clock that stands still until it is set. */
function clock(start = 0) {
  const time = { now: start };
  const environment: RunEnvironment = {
    now: () => time.now,
    setTimer: () => () => {},
    randomId: () => "1",
  };
  return { time, environment, now: environment.now };
}
const minute = 60_000;

/** What may come of taking a request that was taken before until some time, or never. */
function outcomes(until: number | undefined, now: number): readonly boolean[] {
  if (until === undefined) return [true];
  return until > now ? [false] : [true, false];
}

describe("memorySpentRequests", () => {
  it("gives each request to one taker, whatever the others' requests", () => {
    const spent = memorySpentRequests(clock().now);
    expect(spent.take("r1", minute)).toBe(true);
    expect(spent.take("r1", minute)).toBe(false);
    expect(spent.take("r2", minute)).toBe(true);
    expect(spent.take("r1", 10 * minute)).toBe(false);
    expect(spent.take("r2", minute)).toBe(false);
  });

  it("takes any text for an id", () => {
    const spent = memorySpentRequests(clock().now);
    for (const id of ["__proto__", "constructor", "", "🦊"]) {
      expect([spent.take(id, minute), spent.take(id, minute)]).toEqual([true, false]);
    }
  });

  it("has one winner among many who take at the same time", async () => {
    const spent = memorySpentRequests(clock().now);
    const takers = Array.from({ length: 100 }, async (_, at) => {
      await Promise.resolve();
      return spent.take(`r${at % 3}`, minute);
    });
    const taken = await Promise.all(takers);
    expect(taken.filter(Boolean)).toHaveLength(3);
    expect(taken.slice(0, 4)).toEqual([true, true, true, false]);
  });

  it("never gives out a request twice before its time is over", () => {
    const step = fc.record({
      id: fc.constantFrom("a", "b", "c"),
      wait: fc.integer({ min: 0, max: 2 * minute }),
      lasts: fc.integer({ min: 1, max: 5 * minute }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { time, now } = clock();
        const spent = memorySpentRequests(now);
        const until = new Map<string, number>();
        for (const { id, wait, lasts } of steps) {
          time.now += wait;
          const taken = spent.take(id, time.now + lasts) === true;
          expect(outcomes(until.get(id), time.now)).toContain(taken);
          if (taken) until.set(id, time.now + lasts);
        }
      }),
    );
  });

  it("forgets what nobody asks for any more, and nothing else", () => {
    const { time, now } = clock();
    const spent = memorySpentRequests(now);
    const ids = Array.from({ length: 50 }, (_, at) => `r${at}`);
    expect(ids.every((id) => spent.take(id, minute) === true)).toBe(true);
    expect(spent.take("long", 10 * minute)).toBe(true);
    time.now = 2 * minute;
    expect(ids.every((id) => spent.take(id, 10 * minute) === true)).toBe(true);
    expect(spent.take("long", 10 * minute)).toBe(false);
  });

  it("does not grow with the requests that have been: only with those of some minutes", () => {
    const set = vi.spyOn(Map.prototype, "set");
    const { time, now } = clock();
    const spent = memorySpentRequests(now);
    let most = 0;
    for (let at = 0; at < 5000; at++) {
      time.now += 1000;
      expect(spent.take(`r${at}`, time.now + minute)).toBe(true);
      const stored: unknown = set.mock.contexts.at(-1);
      most = Math.max(most, stored instanceof Map ? stored.size : Infinity);
    }
    // Each is kept for a minute, and at most for one more until somebody looks.
    expect(most).toBeLessThanOrEqual(122);
    expect(most).toBeGreaterThanOrEqual(60);
  });

  it("goes by the platform's clock unless it is given another one", () => {
    const now = vi.spyOn(Date, "now").mockReturnValue(0);
    const spent = memorySpentRequests();
    expect(spent.take("r1", minute)).toBe(true);
    expect(spent.take("r1", minute)).toBe(false);
    now.mockReturnValue(2 * minute);
    expect(spent.take("r1", 3 * minute)).toBe(true);
  });
});

describe("processSpentRequests", () => {
  it("is one store for all who share an environment, and goes by its clock", () => {
    const { time, environment } = clock();
    const spent = processSpentRequests(environment);
    expect(processSpentRequests(environment)).toBe(spent);
    expect(spent.take("r1", minute)).toBe(true);
    expect(processSpentRequests(environment).take("r1", minute)).toBe(false);
    time.now = 2 * minute;
    expect(spent.take("r1", 3 * minute)).toBe(true);
  });

  it("is another one for another environment", () => {
    const [one, other] = [
      processSpentRequests(clock().environment),
      processSpentRequests(clock().environment),
    ];
    expect(one.take("r1", minute)).toBe(true);
    expect(other.take("r1", minute)).toBe(true);
  });
});
