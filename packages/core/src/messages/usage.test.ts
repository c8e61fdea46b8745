import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addUsage, totalTokens, type Usage } from "./usage.js";

const counts = fc.dictionary(
  fc.constantFrom("inputTokens", "outputTokens", "totalTokens", "cachedInputTokens", "audioTokens"),
  fc.nat({ max: 100_000 }),
);

/** What a service sent, whatever our types say. */
const reported = (json: string): Usage => JSON.parse(json);

describe("addUsage", () => {
  it("adds member by member, further counts of a service too", () => {
    expect(
      addUsage(
        { inputTokens: 1, outputTokens: 2, audioTokens: 5 },
        { inputTokens: 10, reasoningTokens: 3, audioTokens: 0 },
      ),
    ).toEqual({ inputTokens: 11, outputTokens: 2, reasoningTokens: 3, audioTokens: 5 });
  });

  it("of nothing is nothing, of one is that one", () => {
    expect(addUsage(undefined, undefined)).toBeUndefined();
    expect(addUsage({ inputTokens: 1 }, undefined)).toEqual({ inputTokens: 1 });
    expect(addUsage(undefined, { inputTokens: 1 })).toEqual({ inputTokens: 1 });
    expect(addUsage({}, {})).toEqual({});
  });

  it("keeps zero apart from absent", () => {
    expect(addUsage({ inputTokens: 0 }, { outputTokens: 0 })).toEqual({
      inputTokens: 0,
      outputTokens: 0,
    });
    expect(addUsage({ inputTokens: 0 }, {})).not.toHaveProperty("outputTokens");
  });

  it("takes what is no finite number as absent, on either side", () => {
    const odd = reported(
      '{"inputTokens":null,"outputTokens":"7","totalTokens":{},"audioTokens":true}',
    );
    const infinite = { inputTokens: Number.NaN, outputTokens: Infinity };
    const one = { inputTokens: 1, outputTokens: 1 };
    for (const useless of [odd, infinite]) {
      expect(addUsage(one, useless)).toEqual(one);
      expect(addUsage(useless, one)).toEqual(one);
      expect(addUsage(undefined, useless)).toEqual({});
    }
  });

  it("takes a count below zero as absent: it would give tokens back", () => {
    expect(addUsage({ inputTokens: 5 }, { inputTokens: -3, outputTokens: -1 })).toEqual({
      inputTokens: 5,
    });
    expect(totalTokens({ inputTokens: 3, totalTokens: -9 })).toBe(3);
  });

  it("takes what is no finite number as absent where there is nothing to add", () => {
    const odd = { inputTokens: Number.NaN, outputTokens: 1 };
    expect(addUsage(odd, undefined)).toEqual({ outputTokens: 1 });
    expect(addUsage(undefined, odd)).toEqual({ outputTokens: 1 });
  });

  it("adds counts that are named like members of every object", () => {
    const named = reported('{"constructor":1,"toString":2,"__proto__":3}');
    expect(addUsage({}, named)).toEqual(named);
  });

  it("changes neither of its arguments", () => {
    const a = Object.freeze({ inputTokens: 1 });
    const b = Object.freeze({ inputTokens: 2 });
    expect(addUsage(a, b)).toEqual({ inputTokens: 3 });
  });

  it("does not care about order or grouping", () => {
    fc.assert(
      fc.property(counts, counts, counts, (a, b, c) => {
        expect(addUsage(a, b)).toEqual(addUsage(b, a));
        expect(addUsage(addUsage(a, b), c)).toEqual(addUsage(a, addUsage(b, c)));
      }),
    );
  });
});

describe("totalTokens", () => {
  it.each<[Usage | undefined, number]>([
    [undefined, 0],
    [{}, 0],
    [{ inputTokens: 3 }, 3],
    [{ inputTokens: 3, outputTokens: 4, reasoningTokens: 2, cachedInputTokens: 1 }, 7],
    [{ inputTokens: 3, outputTokens: 4, totalTokens: 10 }, 10],
    [{ inputTokens: 3, totalTokens: 0 }, 0],
    [reported('{"inputTokens":3,"totalTokens":null}'), 3],
  ])("of %j is %j", (usage, expected) => {
    expect(totalTokens(usage)).toBe(expected);
  });

  it("takes what is no finite number as absent", () => {
    expect(totalTokens({ inputTokens: 3, outputTokens: Number.NaN })).toBe(3);
    expect(totalTokens({ inputTokens: 3, outputTokens: 4, totalTokens: Number.NaN })).toBe(7);
    expect(totalTokens(reported('{"inputTokens":"3","outputTokens":4}'))).toBe(4);
  });
});
