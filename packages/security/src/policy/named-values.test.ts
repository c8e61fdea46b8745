import type { JsonValue } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bitsOf, isBounded, isSpecific, namedValues } from "./named-values.js";

describe("namedValues", () => {
  it.each<[string, JsonValue]>([
    ["Mail bob@example.com today", "bob@example.com"],
    ["Mail Bob@Example.com.", "bob@example.com"],
    ["pay bob", "Bob"],
    ["nach \u00dcbersee", "\u00fcbersee"],
    ["in \u0130stanbul", "\u0130stanbul"],
    ["a board deck for us", "board deck"],
    ["(eve)", "eve"],
    ["room 12", 12],
    ["room 12", "12"],
    ["pay 12.50 now", 12.5],
    ["pay $5, please", 5],
    ["on 2024-05-15 at noon", "2024-05-15"],
    ["bob", " bob\n"],
    ["see a.com/x", "a.com/x"],
    ["it's bob's", "bob"],
  ])("finds in %j the value %j", (text, value) => {
    expect(namedValues([text]).bitsFor(value)).toBeGreaterThanOrEqual(1);
  });

  it.each<[string, string, JsonValue]>([
    ["a word inside a word", "every day", "eve"],
    ["the end of an address", "aa@b.com", "a@b.com"],
    ["the beginning of a host", "a.com.evil", "a.com"],
    ["the end of a host", "www.a.com", "a.com"],
    ["a part of a number", "11.5", 1.5],
    ["the beginning of a number", "1.55", 1.5],
    ["thousands", "pay 1,500", 500],
    ["what stands before thousands", "pay 1,500", 1],
    ["a rounded amount", "pay 12.35", 12.345],
    ["an amount that rounds to nothing", "0.01", 0.005],
    ["a Cyrillic letter", "pay eve", "\u0435ve"],
    ["the Kelvin sign", "bok", "bo\u212a"],
    ["a long s", "sos", "\u017fos"],
    ["letters of other widths", "eve", "\uff45ve"],
    ["a zero-width character", "eve", "e\u200bve"],
    ["a letter without its accent", "eve\u0301", "eve"],
    ["a letter beyond the first plane", "\u{1d4b3}eve", "eve"],
    ["one letter", "a b c", "a"],
    ["nothing", "x", ""],
    ["blanks", "x  y", "  "],
    ["a switch", "true", true],
    ["null", "null", null],
    ["a list", "bob", ["bob"]],
    ["an object", "bob", { bob: 1 }],
  ])("does not find %s", (_what, text, value) => {
    expect(namedValues([text]).bitsFor(value)).toBeUndefined();
  });

  it("finds nothing that is put together from two texts", () => {
    expect(namedValues(["pay bob", "smith"]).bitsFor("bob\nsmith")).toBeUndefined();
    expect(namedValues([]).bitsFor("bob")).toBeUndefined();
  });

  it("finds every word that stands alone, wherever it stands", () => {
    const word = fc.stringMatching(/^[a-z]{2,6}$/);
    fc.assert(
      fc.property(fc.array(word), word, fc.array(word), (before, value, after) => {
        const text = [...before, value, ...after].join(" ");
        expect(namedValues([text]).bitsFor(value)).toBeGreaterThanOrEqual(1);
        expect(namedValues([`x${value}`, `${value}x`]).bitsFor(value)).toBeUndefined();
      }),
    );
  });

  it("reads a long text once for each word", () => {
    const text = "aaaa-bbbb ".repeat(100_000);
    const values = namedValues([text, "a".repeat(200_000)]);
    expect(values.bitsFor("aaaa")).toBeUndefined();
    expect(values.bitsFor("aa")).toBeUndefined();
    expect(values.hasLink("aaaa-bbb")).toBe(false);
    expect(namedValues([text, "other"]).bitsFor("other")).toBeCloseTo(Math.log2(3));
  });

  it("counts at least one bit for a choice", () => {
    expect(namedValues(["one"]).bitsFor("one")).toBe(1);
    expect(namedValues(["aa b c d", "AA e f g h"]).bitsFor("aa")).toBe(3);
  });

  it("counts each letter of another case as a choice of its own", () => {
    const values = namedValues(["pay Bob 1"]);
    expect(values.bitsFor("Bob")).toBeCloseTo(Math.log2(3));
    expect(values.bitsFor("bOB")).toBeCloseTo(Math.log2(3) + 3);
  });

  it.each([
    ["see https://a.com/x.", "https://a.com/x", true],
    ["[a](https://a.com/x)", "https://a.com/x", true],
    ["<https://a.com/x>", "https://a.com/x", true],
    ["see https://a.com/xy", "https://a.com/x", false],
    ["see https://a.com/x?q=1", "https://a.com/x", false],
    ["see https://a.com", "https://A.com", false],
    ["see https://www.a.com", "www.a.com", false],
    ["see https://a.com@b.com", "https://a.com", false],
    ["", "", false],
  ])("says of %j whether it holds the link %j", (text, link, expected) => {
    expect(namedValues([text]).hasLink(link)).toBe(expected);
  });
});

describe("what a value can say", () => {
  it.each<[JsonValue, boolean, number]>([
    [null, true, 0],
    ["", true, 0],
    [[], true, 0],
    [{}, true, 0],
    [true, true, 1],
    [0, true, 1],
    [-3, true, 3],
    [0.5, true, 64],
    [1e300, true, 64],
    ["12:30", true, 4 * Math.log2(10)],
    ["2024-05-15", true, 8 * Math.log2(10)],
  ])("is bounded for %j", (value, bounded, bits) => {
    expect(isBounded(value)).toBe(bounded);
    expect(bitsOf(value)).toBeCloseTo(bits);
  });

  it.each<[JsonValue]>([["text"], ["12:30 x"], ["2024-05-15\n"], [["x"]], [{ x: 1 }], [" "]])(
    "is not bounded for %j",
    (value) => {
      expect(isBounded(value)).toBe(false);
    },
  );

  it("is specific from four characters with a letter among them", () => {
    expect(isSpecific("bob@")).toBe(true);
    for (const value of ["to", " to ", "1234", 1234, true, null, ["abcd"]]) {
      expect(isSpecific(value)).toBe(false);
    }
  });
});
