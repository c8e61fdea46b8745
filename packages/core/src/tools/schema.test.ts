import { Type } from "@sinclair/typebox";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import * as z3 from "zod/v3";
import { type SchemaInput, toJsonSchema } from "./schema.js";

const convert = (parameters: unknown) => toJsonSchema(parameters as SchemaInput, "parameters of x");

function codeOf(parameters: unknown): unknown {
  try {
    convert(parameters);
    return "accepted";
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

const number = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

describe("what parameters may be", () => {
  it("TypeBox, without its marks", () => {
    const schema = convert(Type.Object({ n: Type.Number() }));
    expect(schema).toEqual(number);
    expect(Object.getOwnPropertySymbols(schema)).toEqual([]);
  });

  it("zod, valibot and arktype, through what they say as JSON Schema", () => {
    expect(convert(z.object({ n: z.number() }))).toMatchObject(number);
    expect(convert(toStandardJsonSchema(v.object({ n: v.number() })))).toMatchObject(number);
    expect(convert(type({ n: "number" }))).toMatchObject(number);
  });

  it("JSON Schema, custom keywords included; a copy that later changes do not reach", () => {
    const source = { ...number, "x-custom": { a: [1] } };
    const schema = convert(source);
    expect(schema).toEqual(source);
    source["x-custom"].a.push(2);
    expect(schema["x-custom"]).toEqual({ a: [1] });
    expect(Object.isFrozen(schema["properties"])).toBe(true);
  });

  it("nothing, {} and {type: object}: no arguments (B23 c, d)", () => {
    for (const empty of [undefined, {}, { type: "object" }]) {
      expect(convert(empty)).toEqual({ type: "object", properties: {} });
    }
    expect(convert({ $schema: "http://json-schema.org/draft-07/schema#" })).toEqual({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {},
    });
  });

  it("combinators and references at the root", () => {
    const anyOf = [{ required: ["a"] }, { required: ["b"] }];
    expect(convert({ anyOf })).toEqual({ type: "object", anyOf });
    expect(codeOf({ $ref: "#/$defs/a", $defs: { a: { type: "object" } } })).toBe("accepted");
  });

  it("an object or null is an object: arguments are never null", () => {
    expect(convert({ type: ["object", "null"] })).toEqual({ type: "object", properties: {} });
  });
});

describe("what is refused when a tool is made", () => {
  it("a Standard Schema that cannot say itself, with what to do", () => {
    const standard = (vendor: string) => ({
      "~standard": { version: 1, vendor, validate: () => ({ value: 1 }) },
    });
    expect(() => convert(v.object({}))).toThrow(
      "wrap it with toStandardJsonSchema of @valibot/to-json-schema",
    );
    for (const schema of [mini.object({}), z3.object({}), standard("zod")]) {
      expect(() => convert(schema)).toThrow(/import from "zod" \(4\.2 or later\).*z\.toJSONSchema/);
    }
    expect(convert(mini.toJSONSchema(mini.object({ n: mini.number() })))).toMatchObject(number);
    expect(codeOf(standard("mine"))).toBe("schema_without_json_schema");
  });

  it("a conversion that fails, with its cause", () => {
    expect(codeOf(z.object({ at: z.date() }))).toBe("schema_conversion_failed");
    expect(() => convert(z.object({ at: z.date() }))).toThrow(
      expect.objectContaining({ cause: expect.any(Error) }),
    );
  });

  it.each([
    [{ type: "string" }],
    [{ type: ["string", "null"] }],
    [z.string()],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }],
    [{ allOf: [{ type: "array" }] }],
    [{ $ref: "#/$defs/a", $defs: { a: { type: "string" } } }],
    [{ const: 1 }],
    [{ enum: ["a"] }],
    [[]],
    [true],
  ])("other arguments than an object", (schema) => {
    expect(codeOf(schema)).toBe("schema_not_object");
  });

  it("what JSON cannot say, with its place", () => {
    const cycle: Record<string, unknown> = { type: "object" };
    cycle["x-self"] = cycle;
    for (const wrong of [
      undefined,
      () => 1,
      Number.NaN,
      1n,
      Symbol("s"),
      new Date(0),
      new Map(),
      /a/,
    ]) {
      expect(codeOf({ properties: { a: { default: wrong } } })).toBe("schema_not_json");
    }
    expect(codeOf(cycle)).toBe("schema_not_json");
    expect(() => convert({ properties: { "a/b": { default: 1n } } })).toThrow(
      "found a bigint at /properties/a~1b/default",
    );
  });

  it("nesting without end, long before the stack is", () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 100_000; level++) deep = { properties: { a: deep } };
    expect(codeOf(deep)).toBe("schema_too_deep");
  });

  it.each([
    ["#/$defs/nope"],
    ["https://example.com/other.json"],
    ["other.json"],
    ["#nope"],
    ["#/$defs/%"],
    ["#/properties/a/$ref"],
  ])("the reference %s, by name", ($ref) => {
    expect(codeOf({ properties: { a: { $ref } }, $defs: {} })).toBe(
      "schema_unresolvable_reference",
    );
    expect(() => convert({ properties: { a: { $ref } } })).toThrow(`"${$ref}"`);
  });
});

describe("references that resolve", () => {
  it.each([
    ["#"],
    ["#/properties/a~1b"],
    ["#/properties/c%25d"],
    ["#/$defs/list/items"],
    ["#/$defs/many/anyOf/0"],
    ["#anchor"],
    ["#dynamic"],
    ["#old"],
    ["https://example.com/root"],
    ["inner"],
    ["inner#/properties/x"],
    ["#/definitions/legacy"],
  ])("%s", ($ref) => {
    const schema = {
      $id: "https://example.com/root",
      properties: { ref: { $ref }, "a/b": {}, "c%d": {} },
      $defs: {
        list: { items: {} },
        many: { anyOf: [{}] },
        anchored: { $anchor: "anchor" },
        dynamic: { $dynamicAnchor: "dynamic" },
        old: { $id: "#old" },
        inner: { $id: "inner", properties: { x: {} } },
      },
      definitions: { legacy: {} },
    };
    expect(codeOf(schema)).toBe("accepted");
  });

  it("data and properties that are called $ref are none", () => {
    const properties = {
      $ref: { type: "string" },
      a: { default: { $ref: "#/nope" }, enum: [{ $ref: "x" }] },
    };
    expect(codeOf({ properties, "x-note": { $ref: "#/nope" } })).toBe("accepted");
  });
});

describe("properties", () => {
  it("whatever is given: a ConfigurationError or a schema that JSON keeps", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withMap: true, withDate: true }), (input) => {
        let schema: unknown;
        try {
          schema = convert(input);
        } catch (error) {
          expect(error).toHaveProperty("name", "ConfigurationError");
          return;
        }
        expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
        expect(schema).toHaveProperty("type", "object");
      }),
    );
  });
});
