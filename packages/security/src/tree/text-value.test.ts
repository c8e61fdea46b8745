import type { JsonValue } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonIn } from "./text-value.js";

describe("jsonIn", () => {
  it("reads the text of any object or list", () => {
    const values = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
    fc.assert(
      fc.property(values, fc.constantFrom("", " \n"), (value, blank) => {
        const text = blank + JSON.stringify(value) + blank;
        expect(jsonIn(text)).toEqual(JSON.parse(text) as JsonValue);
      }),
    );
  });

  it.each(["", "hello", '"text"', "7", "null", "true", "{", "[1,]", "{} {}", "[v1]", "\u00a0[]"])(
    "takes %j for a text",
    (text) => {
      expect(jsonIn(text)).toBeUndefined();
    },
  );

  it("reads up to 5 million characters", () => {
    const list = (length: number) => `["${"x".repeat(length - 4)}"]`;
    expect(jsonIn(list(5_000_000))).toHaveLength(1);
    expect(jsonIn(list(5_000_001))).toBeUndefined();
  });

  it("reads up to 500 levels, and survives any number", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(jsonIn(nested(500))).toHaveLength(1);
    expect(jsonIn(nested(501))).toBeUndefined();
    expect(jsonIn(nested(1_000_000))).toBeUndefined();
    expect(jsonIn("[".repeat(1_000_000))).toBeUndefined();
  });

  it("keeps a member called __proto__ a member", () => {
    const value = jsonIn('{"__proto__":{"a":1}}');
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
  });
});
