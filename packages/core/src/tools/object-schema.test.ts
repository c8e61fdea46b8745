import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../errors/configuration-error.js";
import type { JsonObject } from "../messages/json.js";
import { toObjectSchema } from "./object-schema.js";

const empty = { type: "object", properties: {} };

/** An object with one member, a text that it requires. */
const one = (name: string) => ({ properties: { [name]: { type: "string" } }, required: [name] });

describe("a schema that services take", () => {
  it("is the very same object", () => {
    const schema = {
      type: "object",
      title: "Lamp",
      description: "About a lamp.",
      properties: { room: { anyOf: [{ type: "string" }, { $ref: "#/$defs/Room" }] } },
      required: ["room"],
      additionalProperties: false,
      $defs: { Room: { oneOf: [{ type: "number" }, { not: {} }] } },
    };
    expect(toObjectSchema(schema)).toBe(schema);
    const bare = { type: "object", properties: {} };
    expect(toObjectSchema(bare)).toBe(bare);
  });

  it("but for its $schema and $id comes back without them", () => {
    const schema = { ...one("a"), type: "object", additionalProperties: false };
    const named = { $schema: "https://json-schema.org/draft/2020-12/schema", $id: "urn:a" };
    expect(toObjectSchema({ ...named, ...schema })).toEqual(schema);
  });
});

describe("any other schema becomes an object without a combinator at the root", () => {
  it.each<JsonObject>([{}, { type: "object" }, { type: ["object", "null"] }, { properties: 1 }])(
    "B23 (c, d): %j",
    (schema) => {
      expect(toObjectSchema(schema)).toEqual(empty);
    },
  );

  it("B23 (a): alternatives of what is required", () => {
    const schema = {
      type: "object",
      properties: { a: {}, b: {} },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    expect(toObjectSchema(schema)).toEqual({ type: "object", properties: { a: {}, b: {} } });
  });

  it("B23 (b): alternative objects are one that allows them all", () => {
    const schema = {
      anyOf: [
        { type: "object", properties: { k: { const: "x" } }, required: ["k"] },
        {
          type: "object",
          properties: { k: { const: "y" }, z: { type: "number" } },
          required: ["k", "z"],
        },
      ],
    };
    expect(toObjectSchema(schema)).toEqual({
      type: "object",
      properties: { k: { anyOf: [{ const: "x" }, { const: "y" }] }, z: { type: "number" } },
      required: ["k"],
    });
  });

  it("demands what every part of an allOf demands, and what all alternatives do", () => {
    const schema = {
      allOf: [one("a"), { oneOf: [{ allOf: [one("b"), one("c")] }, one("c")] }],
    };
    expect(toObjectSchema(schema)).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" }, c: { type: "string" } },
      required: ["a", "c"],
    });
  });

  it("joins by allOf what several say of one member, and leaves out what can be no object", () => {
    const schema = {
      type: ["object", "null"],
      properties: { k: { type: "string" } },
      anyOf: [{ properties: { k: { const: "x" } } }, { type: "null" }, false],
      allOf: [{ properties: { k: { maxLength: 3 } } }],
    };
    expect(toObjectSchema(schema)).toEqual({
      type: "object",
      properties: { k: { allOf: [{ type: "string" }, { maxLength: 3 }, { const: "x" }] } },
    });
  });

  it("demands nothing of its alternatives where one of them allows anything", () => {
    for (const any of [true, {}, { $ref: "https://example.com/elsewhere" }]) {
      expect(toObjectSchema({ anyOf: [one("a"), any] })).toEqual({
        type: "object",
        properties: { a: { type: "string" } },
      });
    }
  });

  it("does not refuse further members where a part allows some", () => {
    const closed = { ...one("a"), additionalProperties: false };
    const patterned = { patternProperties: { "^x": {} }, additionalProperties: false };
    const additional = (schema: JsonObject) => toObjectSchema(schema)["additionalProperties"];
    expect(additional({ oneOf: [closed, { ...closed, ...one("b") }] })).toBe(false);
    expect(additional({ oneOf: [closed, one("b")] })).toBeUndefined();
    expect(additional({ allOf: [patterned] })).toBeUndefined();
    expect(additional({ ...patterned, type: "object" })).toBe(false);
    expect(
      toObjectSchema({ $ref: "#/$defs/A", $defs: { A: {} }, unevaluatedProperties: false }),
    ).not.toHaveProperty("unevaluatedProperties");
  });

  it("keeps the members of a part with a special name", () => {
    const schema = JSON.parse('{"anyOf":[{"properties":{"__proto__":{}}}]}');
    expect(JSON.stringify(toObjectSchema(schema)["properties"])).toBe('{"__proto__":{}}');
  });

  it("leaves the given schema as it is", () => {
    const schema = { allOf: [{ $defs: { A: {} }, ...one("a") }], $defs: { B: {} } };
    const before = structuredClone(schema);
    toObjectSchema(schema);
    expect(schema).toEqual(before);
  });

  it("whatever its parts are", () => {
    const leaf = { type: fc.constant("object"), required: fc.subarray(["a", "b"]) };
    const member = fc.constantFrom<JsonObject>({ type: "string" }, { const: 1 });
    const properties = fc.dictionary(fc.constantFrom("a", "b"), member);
    const around = (part: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> => {
      const parts = fc.array(part, { maxLength: 2 });
      const members = { ...leaf, properties, anyOf: parts, oneOf: parts, allOf: parts };
      return fc.record(members, { requiredKeys: [] });
    };
    const part = around(around(fc.record({ ...leaf, properties }, { requiredKeys: [] })));
    fc.assert(
      fc.property(part, (schema) => {
        const made = toObjectSchema(schema);
        expect(made).toMatchObject(empty);
        for (const key of ["anyOf", "oneOf", "allOf", "$ref"]) expect(made).not.toHaveProperty(key);
        expect(toObjectSchema(made)).toBe(made);
      }),
    );
  });
});

describe("references", () => {
  it("of the root are looked up, with the description of what they lead to", () => {
    const properties = { a: { type: "string" } };
    const description = "About a lamp.";
    const target = { properties, required: ["a"], additionalProperties: false, description };
    const $defs = { A: { type: "object", ...target } };
    expect(toObjectSchema({ $ref: "#/$defs/A", $defs })).toEqual({
      type: "object",
      ...target,
      $defs,
    });
    expect(toObjectSchema({ $ref: "#/$defs/A", $defs, description: "Mine." })).toMatchObject({
      description: "Mine.",
    });
  });

  it("are looked up in parts as well, and through anchors", () => {
    const $defs = { Base: { $anchor: "base", type: "object", ...one("id") } };
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      $defs,
      allOf: [{ $ref: "#base" }, one("n")],
    };
    expect(toObjectSchema(schema)).toEqual({
      type: "object",
      $defs,
      properties: { id: { type: "string" }, n: { type: "string" } },
      required: ["id", "n"],
    });
  });

  it("keep the definitions of the parts, where the root's own come first", () => {
    const part = (name: string, type: string) => ({
      properties: { [name]: { $ref: `#/$defs/${name}` } },
      $defs: { [name]: { type }, both: { type } },
    });
    const schema = { anyOf: [part("a", "string"), part("b", "number")], $defs: { a: {} } };
    expect(toObjectSchema(schema)["$defs"]).toEqual({
      a: {},
      b: { type: "number" },
      both: { type: "string" },
    });
  });

  it("that go in a circle end", () => {
    expect(toObjectSchema({ $ref: "#" })).toEqual(empty);
    const $defs = { A: { $ref: "#/$defs/A" } };
    expect(toObjectSchema({ $ref: "#/$defs/A", $defs })).toEqual({ ...empty, $defs });
    const many = {
      anyOf: Array.from({ length: 20 }, () => ({ $ref: "#" })),
      properties: { a: {} },
    };
    expect(toObjectSchema(many)).toEqual({ type: "object", properties: { a: {} } });
  });

  it("that branch out without end are read in part, and demand nothing then", () => {
    const depth = 40;
    const $defs = Object.fromEntries(
      Array.from({ length: depth }, (_, at) => {
        const next = { $ref: `#/$defs/D${at + 1}` };
        return [`D${at}`, { anyOf: [next, next] }];
      }),
    );
    const last = { type: "object", required: ["a"] };
    const schema = { $ref: "#/$defs/D0", $defs: { ...$defs, [`D${depth}`]: last } };
    expect(toObjectSchema(schema)).toEqual({ ...empty, $defs: schema.$defs });
  });

  it("that would point nowhere are refused by name", () => {
    const schema = {
      anyOf: [{ properties: { a: {} } }],
      properties: { b: { items: { $ref: "#/anyOf/0/properties/a" } } },
    };
    const make = () => toObjectSchema(schema, 'The schema of tool "t"');
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(/^The schema of tool "t".*"#\/anyOf\/0\/properties\/a".*\$defs/);
  });

  it("to the root itself, and into what stays, are kept", () => {
    const tree = { properties: { left: { $ref: "#" }, right: { $ref: "#/properties/left" } } };
    expect(toObjectSchema({ allOf: [one("a")], ...tree })["properties"]).toMatchObject(
      tree.properties,
    );
  });
});

it.each([{ type: "array" }, { type: ["string", "null"] }])("refuses a root of %j", (schema) => {
  expect(() => toObjectSchema(schema)).toThrow(ConfigurationError);
  expect(() => toObjectSchema(schema)).toThrow(/^The schema is of type .*type: "object"/);
});
