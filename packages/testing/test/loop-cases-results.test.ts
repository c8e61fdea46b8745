import { tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { resultsIn, resultTexts } from "./support/outline.js";
import { inBothManners } from "./support/play.js";

const cycle: Record<string, unknown> = { name: "loop" };
cycle["self"] = cycle;
const shared = { x: 1 };
const deep = Array.from({ length: 60 }).reduce<unknown>((inner) => [inner], "bottom");
class Point {
  x = 1;
  y = 2;
}

describe("B78 values that JSON cannot say", () => {
  const values: readonly (readonly [string, unknown, RegExp])[] = [
    ["a bigint", { n: 10n }, /10/],
    ["a cycle", cycle, /loop.*(cycl|circular)/i],
    ["an object that is used twice", { a: shared, b: shared }, /"a":\{"x":1\},"b":\{"x":1\}/],
    ["a Map", new Map([["k", 1]]), /k.*1/],
    ["a Set", new Set([1]), /1/],
    ["a Date", new Date(0), /1970-01-01T00:00:00/],
    ["an invalid Date", new Date(Number.NaN), /./],
    ["bytes", new Uint8Array([1, 2, 3]), /AQID|3/],
    ["a symbol", Symbol("s"), /./],
    ["a function", () => 1, /./],
    ["a toJSON that throws", { toJSON: () => fail("no") }, /./],
    [
      "a getter that throws",
      Object.defineProperty({}, "x", { enumerable: true, get: () => fail("no") }),
      /./,
    ],
    ["sixty levels", deep, /\[/],
    ["an instance", new Point(), /"x":1,"y":2/],
  ];

  inBothManners((play) => {
    it.each(values)("%s becomes text, and the run goes on", async (_kind, value, expected) => {
      const give = tool({ name: "give", execute: () => value });
      const { response } = await play({
        turns: [{ calls: [{ name: "give" }] }, "done"],
        agent: { tools: give },
      });
      const [text] = resultTexts(response.messages);
      expect(text).toMatch(expected);
      expect(text).not.toBe("{}");
      expect(resultsIn(response.messages)[0]?.isError).toBeUndefined();
      expect(response.text).toBe("done");
    });

    it("an Error is an error result with its message and no stack", async () => {
      const give = tool({ name: "give", execute: () => new Error("x is missing") });
      const { response } = await play({
        turns: [{ calls: [{ name: "give" }] }, "done"],
        agent: { tools: give },
      });
      expect(resultTexts(response.messages)).toEqual(["Error: x is missing"]);
      expect(resultsIn(response.messages)[0]).toMatchObject({ isError: true });
    });

    it.each([{ a: [1, "two", null, true], b: { c: 0.5 } }, [], [1, [2]], "text", 12.5])(
      "ordinary JSON stays byte for byte: %j",
      async (value) => {
        const give = tool({ name: "give", execute: () => value });
        const { response } = await play({
          turns: [{ calls: [{ name: "give" }] }, "done"],
          agent: { tools: give },
        });
        const text = typeof value === "string" ? value : JSON.stringify(value);
        expect(resultTexts(response.messages)).toEqual([text]);
      },
    );
  });
});

describe("B79 values that say nothing", () => {
  inBothManners((play) => {
    it.each([
      ["undefined", undefined, "Done. The tool returned no output."],
      ["null", null, "null"],
      ["an empty string", "", "(empty text)"],
      ["an empty list", [], "[]"],
      ["zero", 0, "0"],
      ["false", false, "false"],
    ])("%s has a result with text", async (_kind, value, expected) => {
      const give = tool({ name: "give", execute: () => value });
      const { response, requests } = await play({
        turns: [{ calls: [{ name: "give" }, { name: "give" }] }, "done"],
        agent: { tools: give },
      });
      expect(resultTexts(response.messages)).toEqual([expected, expected]);
      expect(resultTexts(requests[1]?.messages ?? [])).toEqual([expected, expected]);
    });

    it.each([
      ["an Error without a message", () => new Error("")],
      ["a throw of nothing", () => Promise.reject(undefined)],
      ["a throw of an empty string", () => Promise.reject("")],
    ])("%s carries some text", async (_kind, execute) => {
      const { response } = await play({
        turns: [{ calls: [{ name: "give" }] }, "done"],
        agent: {
          tools: tool({ name: "give", execute }),
          invocation: { includeDetailedErrors: true },
        },
      });
      expect(resultsIn(response.messages)[0]?.isError).toBe(true);
      expect(resultTexts(response.messages)[0]).toMatch(/^Error: \S+/);
      expect(resultTexts(response.messages)[0]).not.toMatch(/undefined/);
    });
  });
});

function fail(message: string): never {
  throw new Error(message);
}
