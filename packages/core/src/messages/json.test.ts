import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rawRepresentation } from "./content.js";
import { copyJson, copyWithRaw, isJsonObject } from "./json.js";
import { textContent } from "./make-content.js";

/** Every object inside a value, itself included. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

describe("copyJson", () => {
  it("is equal to its source and shares nothing with it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = copyJson(value);
        expect(copy).toStrictEqual(value);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
        const sources = new Set(objectsIn(value));
        expect(objectsIn(copy).filter((object) => sources.has(object))).toEqual([]);
      }),
    );
  });

  it("copies what is frozen into something that is not", () => {
    const copy: { list: number[] } = copyJson(
      Object.freeze({ list: Object.freeze([1]) as number[] }),
    );
    copy.list.push(2);
    expect(copy).toEqual({ list: [1, 2] });
  });

  it("keeps a member called __proto__ a member, at every depth", () => {
    const hostile = '{"a":[{"__proto__":{"admin":true}}],"__proto__":{"admin":true}}';
    const source: Record<string, unknown> = JSON.parse(hostile);
    const copy = copyJson(source);
    expect(Object.keys(copy)).toEqual(["a", "__proto__"]);
    expect(copy["admin"]).toBeUndefined();
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(JSON.parse(JSON.stringify(copy))).toStrictEqual(source);
    expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
  });

  it("takes nothing that the source only inherits", () => {
    expect(copyJson(Object.create({ inherited: 1 }))).toStrictEqual({});
  });

  it("carries a vendor's own object along by reference, at every depth", () => {
    const raw = { client: new Map() };
    const copy = copyWithRaw({ contents: [{ ...textContent("a"), [rawRepresentation]: raw }] });
    expect(copy.contents[0]?.[rawRepresentation]).toBe(raw);
  });
});

describe("isJsonObject", () => {
  it.each([
    [{}, true],
    [{ a: 1 }, true],
    [[], false],
    [null, false],
    ["{}", false],
    [0, false],
    [undefined, false],
  ])("of %j is %j", (value, expected) => {
    expect(isJsonObject(value)).toBe(expected);
  });
});
