import type { JsonObject, JsonValue } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pathText, valueAt } from "./json-path.js";
import {
  asReference,
  expandReferences,
  referencesIn,
  referenceTo,
  UnknownReferenceError,
} from "./reference.js";

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
const objects = fc.dictionary(fc.string(), json) as fc.Arbitrary<JsonObject>;

function nested(levels: number, value: JsonValue): JsonValue {
  return levels === 0 ? value : { in: nested(levels - 1, value) };
}

describe("asReference", () => {
  it.each([
    ["v3", "v3", "$"],
    ["v12.body", "v12", "body"],
    ["v3[0].name", "v3", "[0].name"],
    ['v3["odd.name"][1]', "v3", '["odd.name"][1]'],
    ['v3["plain"]', "v3", "plain"],
    ["v3.__proto__", "v3", "__proto__"],
  ])("reads %s", ($ref, id, path) => {
    expect(asReference({ $ref })).toEqual({ id, path });
    expect(asReference(Object.assign(Object.create(null), { $ref }))).toEqual({ id, path });
  });

  it.each([
    "#/x",
    "v",
    "v0",
    "v01",
    "v1 ",
    " v1",
    "V1",
    "v1.",
    "v1..a",
    "v1.[0]",
    "v1.$",
    "v1$",
    "v1[*]",
    "v1.*",
    "v1[01]",
    "v1[-1]",
    "v1body",
    "v1\n",
    "v1.5",
    "xv1",
    `v1.${"a".repeat(5000)}`,
  ])("takes { $ref: %j } for data", ($ref) => {
    expect(asReference({ $ref })).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ["a text", '{"$ref":"v1"}'],
    ["a text that is an id", "v1"],
    ["another member", { $ref: "v1", other: 1 }],
    ["a member under a symbol", { $ref: "v1", [Symbol("s")]: 1 }],
    ["a list", [{ $ref: "v1" }]],
    ["a list with such a member", Object.assign([], { $ref: "v1" })],
    ["no text", { $ref: 1 }],
    ["an inherited member", Object.create({ $ref: "v1" })],
    ["an inherited member beside an own one", Object.assign(Object.create(null), { ref: "v1" })],
    [
      "an instance of a class",
      new (class {
        $ref = "v1";
      })(),
    ],
    ["null", null],
    ["nothing", undefined],
  ])("takes for data %s", (_what, value) => {
    expect(asReference(value)).toBeUndefined();
  });

  it("reads what referenceTo writes", () => {
    const path = fc.array(fc.oneof(fc.string(), fc.nat(9)), { maxLength: 4 }).map(pathText);
    fc.assert(
      fc.property(fc.integer({ min: 1 }), path, (number, place) => {
        const read = asReference(referenceTo(`v${number}`, place));
        expect(read).toEqual({ id: `v${number}`, path: place });
      }),
    );
    expect(referenceTo("v3")).toEqual({ $ref: "v3" });
  });
});

describe("referencesIn", () => {
  it("finds references at any depth, in their order", () => {
    const args = {
      to: [{ $ref: "v1.from" }, "boss@corp"],
      body: { $ref: "v2" },
      more: { "odd.name": [{ x: { $ref: "v1[0]" } }] },
    };
    expect(referencesIn(args)).toEqual([
      { at: "to[0]", argument: "to", id: "v1", path: "from" },
      { at: "body", argument: "body", id: "v2", path: "$" },
      { at: 'more["odd.name"][0].x', argument: "more", id: "v1", path: "[0]" },
    ]);
  });

  it("does not take the arguments object for one: a tool may have an argument called $ref", () => {
    expect(referencesIn({ $ref: "v1" })).toEqual([]);
    expect(referencesIn({ $ref: { $ref: "v1" } })).toHaveLength(1);
  });

  it("finds what stands 100 levels deep, and takes what is deeper for data", () => {
    const reference = { $ref: "v1" };
    expect(referencesIn({ a: nested(99, reference) })).toHaveLength(1);
    expect(referencesIn({ a: nested(100, reference) })).toEqual([]);
    expect(() => referencesIn({ a: nested(5000, reference) })).not.toThrow();
  });

  it("finds nothing in any text", () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('{"$ref":"v1"}', "v1", "$ref", "[v1]", "‹v1.body›", '"$ref": "v1"'),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(text, fc.array(text))), (args) => {
        expect(referencesIn(args)).toEqual([]);
      }),
    );
  });
});

describe("expandReferences", () => {
  const values: Readonly<Record<string, JsonValue>> = {
    v1: { body: "hello", from: ["a@b"] },
    v2: { $ref: "v1" },
    v3: 'text with {"$ref":"v1"} in it',
  };
  const resolve = (id: string, path: string) => {
    const value = Object.hasOwn(values, id) ? values[id] : undefined;
    return value === undefined ? undefined : valueAt(value, path);
  };

  it("puts values and parts of them into their slots", () => {
    const args = { to: { $ref: "v1.from[0]" }, list: [1, { $ref: "v1.body" }], same: "v1" };
    expect(expandReferences(args, resolve)).toEqual({
      to: "a@b",
      list: [1, "hello"],
      same: "v1",
    });
  });

  it("does not look at what it has put in", () => {
    expect(expandReferences({ a: { $ref: "v2" } }, resolve)).toEqual({ a: { $ref: "v1" } });
    expect(expandReferences({ a: { $ref: "v3" } }, resolve)).toEqual({ a: values["v3"] });
  });

  it("shares what does not change, and does not change what it was given", () => {
    const args = Object.freeze({ big: { a: [1] }, list: [{ b: 2 }, { $ref: "v1.body" }] });
    const expanded = expandReferences(args, resolve);
    expect(expanded["big"]).toBe(args.big);
    expect(expanded).toEqual({ big: { a: [1] }, list: [{ b: 2 }, "hello"] });
    expect(args.list[1]).toEqual({ $ref: "v1.body" });
  });

  it("gives back arguments without references themselves", () => {
    const free = objects.filter((args) => referencesIn(args).length === 0);
    fc.assert(
      fc.property(free, (args) => {
        expect(expandReferences(args, () => "never")).toBe(args);
      }),
    );
  });

  it("keeps a member called __proto__ where it is", () => {
    const args = JSON.parse('{"__proto__":{"$ref":"v1.body"},"b":1}');
    const expanded = expandReferences(args, resolve);
    expect(JSON.stringify(expanded)).toBe('{"__proto__":"hello","b":1}');
    expect(Object.getPrototypeOf(expanded)).toBe(Object.prototype);
  });

  it.each([
    ["an unknown id", { $ref: "v9" }],
    ["an unknown path", { $ref: "v1.secret" }],
    ["an inherited member", { $ref: "v1.constructor" }],
  ])("refuses %s, with the slot, and in the same words", (_what, reference) => {
    const expand = () => expandReferences({ ok: 1, to: ["x", reference] }, resolve);
    expect(expand).toThrow(UnknownReferenceError);
    expect(expand).toThrow(
      expect.objectContaining({
        code: "unknown_reference",
        message:
          'The argument "to" refers at to[1] to something that is not there. ' +
          "Use a reference as it stands in a result, or write the value itself.",
        slot: expect.objectContaining({ at: "to[1]", argument: "to" }),
      }),
    );
  });

  it("changes what stands at typed slots, and nothing else, whatever a model writes", () => {
    const hostile = fc.oneof(
      json,
      fc.constantFrom<JsonValue>(
        { $ref: "v1" },
        { $ref: "v1.body" },
        { $ref: "#/v1" },
        { $ref: "v1", x: 1 },
        '{"$ref":"v1"}',
        { $ref: { $ref: "v1" } },
      ),
    );
    const tree = fc.dictionary(
      fc.string(),
      fc.oneof(hostile, fc.array(hostile), fc.dictionary(fc.string(), hostile)),
    ) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(tree, (args) => {
        const slots = referencesIn(args);
        const expanded = expandReferences(args, (id, path) => `<${id} ${path}>`);
        expect(new Map(leaves(expanded))).toEqual(
          new Map([
            ...leaves(args).filter(
              ([place]) => !slots.some(({ at }) => place === at || place === joined(at, "$ref")),
            ),
            ...slots.map(({ at, id, path }) => [at, `<${id} ${path}>`] as const),
          ]),
        );
      }),
    );
  });
});

function joined(at: string, name: string): string {
  return `${at}.${name}`;
}

/** Every text, number and so on, and every empty object or list, by its place. */
function leaves(value: JsonValue, path: readonly (string | number)[] = []): [string, JsonValue][] {
  if (typeof value !== "object" || value === null) return [[pathText(path), value]];
  const members = Array.isArray(value)
    ? value.map((item, at) => [at, item] as const)
    : Object.entries(value);
  if (members.length === 0) return [[pathText(path), value]];
  return members.flatMap(([key, member]) => leaves(member, [...path, key]));
}
