import type { JsonValue } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { schemaProblem } from "./plain-schema.js";
import { schemaCapacity } from "./schema-capacity.js";

const bool = { type: "boolean" };
const closed = (properties: object, required: readonly string[], more: object = {}) =>
  ({ type: "object", properties, required, additionalProperties: false, ...more }) as JsonValue;

describe("schemaCapacity", () => {
  it.each<[JsonValue, number]>([
    [{ const: "x" }, 0],
    [{ type: "null" }, 0],
    [bool, 1],
    [{ enum: ["a", "b", "c", "d"] }, 2],
    [{ enum: [] }, 0],
    [{ type: "integer", minimum: 1, maximum: 8 }, 3],
    [{ type: "integer", minimum: 0.2, maximum: 0.8 }, 0],
    [{ type: "integer", minimum: -1.5, maximum: 1.5 }, Math.log2(3)],
    [closed({ a: bool, b: bool }, ["a", "b"]), 2],
    [closed({ a: bool }, []), Math.log2(3)],
    [closed({}, []), 0],
  ])("bounds %j", (schema, bits) => {
    expect(schemaCapacity(schema)).toBeCloseTo(bits);
  });

  it.each<[JsonValue]>([
    [true],
    [{}],
    [{ type: "string" }],
    [{ type: "string", maxLength: 1 }],
    [{ type: "number", minimum: 0, maximum: 1 }],
    [{ type: "integer", minimum: 0 }],
    [{ type: "integer", minimum: 5, maximum: 1 }],
    [{ type: "integer", minimum: -1.7e308, maximum: 1.7e308 }],
    [{ type: ["boolean", "string"] }],
    [{ type: "boolean", nullable: true }],
    [{ $ref: "#/x", const: 1 }],
    [{ type: "array", items: bool }],
    [{ type: "object", properties: { a: bool } }],
    [closed({ a: { type: "string" } }, ["a"])],
    [closed({ a: bool }, ["a"], { patternProperties: { ".*": {} } })],
  ])("knows no bound of %j", (schema) => {
    expect(schemaCapacity(schema)).toBeUndefined();
  });
});

describe("schemaProblem", () => {
  it.each<[object, string]>([
    [{ anyOf: [{ $ref: "#" }] }, 'it has "$ref"'],
    [{ properties: { a: { patternProperties: {} } } }, 'it has "patternProperties"'],
    [{ not: { $dynamicRef: "#x" } }, 'it has "$dynamicRef"'],
    [{ description: "x".repeat(30_000) }, "it is too long"],
    [{ anyOf: Array.from({ length: 600 }, () => ({})) }, "it has too many parts"],
  ])("refuses what may take long to check (%#)", (schema, problem) => {
    expect(schemaProblem(schema as never)).toBe(problem);
  });

  it("takes names and values for what they are", () => {
    const properties = {
      pattern: bool,
      $ref: { enum: [{ $ref: "#" }], default: { pattern: "x" } },
    };
    expect(schemaProblem({ type: "object", properties } as never)).toBeUndefined();
  });
});
