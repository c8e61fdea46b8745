import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.js";
import { sameJson } from "./same-json.js";

/** As it comes out of a text: with a member of its own, whatever it is called. */
const parse = (text: string): unknown => JSON.parse(text);

const names = fc.oneof(
  fc.constantFrom("a", "b", "__proto__", "constructor", "toString", "", "1", "10", "2", '","b":'),
  fc.string({ unit: "binary", maxLength: 3 }),
);
const leaves = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, "", "1", "true", "null", "\ud800", "[]", "{}"),
  fc.string({ unit: "binary", maxLength: 4 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Small on purpose: two values of it are often the same, and more often nearly so. */
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaves,
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .array(fc.tuple(names, tie("value")), { maxLength: 3 })
      // Defines its members, so that one named "__proto__" stays one.
      .map((members) => Object.fromEntries(members)),
  ),
}));
const few = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<unknown>(null, 1, "1", "a"),
    fc.array(tie("value"), { maxLength: 2 }),
    fc
      .array(fc.tuple(fc.constantFrom("a", "__proto__"), tie("value")), { maxLength: 2 })
      .map((members) => Object.fromEntries(members)),
  ),
})).value;

/** A copy in which every object's members stand in another order. */
function turned(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(turned);
  const members = Object.entries(value).map(([name, member]) => [name, turned(member)] as const);
  return Object.fromEntries(members.reverse());
}

/** What JSON makes of it: it has one zero only. */
const stored = (value: unknown): unknown => parse(JSON.stringify(value));

describe("canonicalJson", () => {
  it("is JSON that says the same", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(isDeepStrictEqual(parse(canonicalJson(value)), stored(value))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it("does not depend on the order of members, at any depth", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(turned(value))).toBe(canonicalJson(value));
      }),
      { numRuns: 500 },
    );
  });

  it("is the same text for two values exactly when they are equal", () => {
    let equal = 0;
    fc.assert(
      fc.property(few, few, (a, b) => {
        const same = isDeepStrictEqual(a, b);
        if (same) equal++;
        expect(canonicalJson(a) === canonicalJson(b)).toBe(same);
        expect(sameJson(a, b)).toBe(same);
      }),
      { numRuns: 3000 },
    );
    expect(equal).toBeGreaterThan(100);
  });

  it.each<[string, unknown, string]>([
    ["members in the order of their names", { b: 1, a: 2 }, '{"a":2,"b":1}'],
    ["items in their own order", [2, 1, { b: 1, a: [] }], '[2,1,{"a":[],"b":1}]'],
    ["numbers as names, which objects put first", { b: 1, 10: 2, 9: 3 }, '{"10":2,"9":3,"b":1}'],
    [
      "a member called __proto__",
      parse('{"a":1,"__proto__":{"a":2}}'),
      '{"__proto__":{"a":2},"a":1}',
    ],
    ["half a character", { "\udfff": "\ud800" }, String.raw`{"\udfff":"\ud800"}`],
    ["a whole character, itself", ["🦊"], '["🦊"]'],
    ["a zero below zero, which JSON does not have", [-0], "[0]"],
    ["a member that is undefined, which JSON does not have", { a: undefined, b: 1 }, '{"b":1}'],
    ["nothing but that", { a: { b: undefined } }, '{"a":{}}'],
  ])("writes %s", (_what, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it.each<[unknown, unknown]>([
    [{}, []],
    [{}, null],
    [null, "null"],
    [1, "1"],
    [
      [1, 2],
      [2, 1],
    ],
    [
      [[1], 2],
      [1, [2]],
    ],
    [["1,2"], [1, 2]],
    [["a", "b"], ['a","b']],
    [{ 0: "a" }, ["a"]],
    [{ a: null }, {}],
    [{ a: { b: 1 } }, { a: {}, b: 1 }],
    [{ a: 1, b: 2 }, { 'a":1,"b': 2 }],
    [{ a: "\ud800" }, { a: "\\ud800" }],
    [{ a: "\ud800" }, { a: "\ufffd" }],
    [parse('{"__proto__":{}}'), {}],
    [parse('{"a":{"__proto__":{}}}'), { a: {} }],
    [parse('{"__proto__":{"a":1}}'), { a: 1 }],
  ])("tells %j from %j", (a, b) => {
    expect(canonicalJson(a)).not.toBe(canonicalJson(b));
    expect(sameJson(a, b)).toBe(false);
    expect(sameJson(b, a)).toBe(false);
  });
});

describe("sameJson", () => {
  it("finds every value the same as its copy, whatever the order of members", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(sameJson(value, stored(value))).toBe(true);
        expect(sameJson(turned(value), value)).toBe(true);
      }),
    );
  });

  it("counts members that are undefined as absent, on either side", () => {
    expect(sameJson({ a: 1, b: undefined }, { a: 1 })).toBe(true);
    expect(sameJson({ a: 1 }, { a: 1, b: undefined })).toBe(true);
    expect(sameJson({ a: undefined }, { a: null })).toBe(false);
    expect(sameJson({ toString: undefined }, {})).toBe(true);
  });
});
