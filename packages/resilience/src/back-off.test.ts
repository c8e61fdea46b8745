import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askedWaitMs, backOffMs } from "./back-off.js";

const plain = {
  initialDelayMs: 1000,
  factor: 2,
  maxDelayMs: 60_000,
  jitter: 0,
  random: () => 0.5,
} as const;

describe("the back-off", () => {
  it("grows by its factor and stops at the longest wait", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => backOffMs(attempt, plain));
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  it.each([
    [0.25, 0, 750],
    [0.25, 0.5, 1000],
    [0.25, 1, 1250],
    [1, 0, 0],
    ["full", 0, 0],
    ["full", 0.5, 500],
  ] as const)("with jitter %s and a random number of %s is %s ms", (jitter, number, expected) => {
    expect(backOffMs(1, { ...plain, jitter, random: () => number })).toBe(expected);
  });

  it("is cut after the jitter, so that the longest wait is the longest", () => {
    const highest = { ...plain, maxDelayMs: 1100, jitter: 0.25, random: () => 0.999 };
    expect(backOffMs(1, highest)).toBe(1100);
  });

  it("is a finite number of milliseconds within its bounds, whatever the numbers", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.record({
          initialDelayMs: fc.double({ min: 0, max: 2 ** 31 - 1, noNaN: true }),
          factor: fc.double({ min: 1, max: Number.MAX_VALUE, noNaN: true }),
          maxDelayMs: fc.double({ min: 0, max: 2 ** 31 - 1, noNaN: true }),
          jitter: fc.oneof(
            fc.constant("full" as const),
            fc.double({ min: 0, max: 1, noNaN: true }),
          ),
          number: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        }),
        (attempt, { number, ...settings }) => {
          const wait = backOffMs(attempt, { ...settings, random: () => number });
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(settings.maxDelayMs);
        },
      ),
    );
  });
});

describe("the wait that a service asks for", () => {
  it.each([
    [undefined, undefined],
    [Number.NaN, undefined],
    [-1, undefined],
    [0, 0],
    [1500, 1500],
    [Infinity, Infinity],
  ])("of %s counts as %s", (given, expected) => {
    expect(askedWaitMs(given)).toBe(expected);
  });
});
