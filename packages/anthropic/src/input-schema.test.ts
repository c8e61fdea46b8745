import type { JsonObject } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toInputSchema } from "./input-schema.js";

describe("B23: a schema for Anthropic has an object at the root and no combinator there", () => {
  test("(a) alternatives of what is required", () => {
    const schema = {
      type: "object",
      properties: { a: {}, b: {} },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    expect(toInputSchema(schema)).toEqual({ type: "object", properties: { a: {}, b: {} } });
  });

  test("(b) alternative objects become one that allows them all", () => {
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
    expect(toInputSchema(schema)).toEqual({
      type: "object",
      properties: { k: { anyOf: [{ const: "x" }, { const: "y" }] }, z: { type: "number" } },
      required: ["k"],
    });
  });

  test("(c) nothing, and (d) an object without properties", () => {
    const empty = { type: "object", properties: {} };
    expect(toInputSchema({})).toEqual(empty);
    expect(toInputSchema(undefined)).toEqual(empty);
    expect(toInputSchema({ type: "object" })).toEqual(empty);
  });

  test("allOf joins what all parts demand, and a root reference is looked up", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      $defs: { Base: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } },
      allOf: [{ $ref: "#/$defs/Base" }, { properties: { n: { type: "number" } }, required: ["n"] }],
    };
    expect(toInputSchema(schema)).toEqual({
      type: "object",
      $defs: schema.$defs,
      properties: { id: { type: "string" }, n: { type: "number" } },
      required: ["id", "n"],
    });
  });

  test("a root that refers to itself ends", () => {
    expect(toInputSchema({ $ref: "#" })).toEqual({ type: "object", properties: {} });
    const loop = { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } };
    expect(toInputSchema(loop)).toMatchObject({ type: "object", properties: {} });
    const many = {
      anyOf: Array.from({ length: 20 }, () => ({ $ref: "#" })),
      properties: { a: {} },
    };
    expect(toInputSchema(many)).toEqual({ type: "object", properties: { a: {} } });
  });

  test("combinators below the root stay, and so does everything else", () => {
    const schema = {
      type: "object",
      description: "About a lamp.",
      properties: { room: { anyOf: [{ type: "string" }, { type: "number" }] } },
      required: ["room"],
      additionalProperties: false,
    };
    expect(toInputSchema(schema)).toEqual(schema);
  });

  test("whatever the parts are, the root is an object without a combinator", () => {
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
        const wire = toInputSchema(schema);
        expect(wire.type).toBe("object");
        for (const key of ["anyOf", "oneOf", "allOf", "$ref"]) expect(wire).not.toHaveProperty(key);
        expect(wire).toHaveProperty("properties");
      }),
    );
  });
});
