import type { JsonObject } from "@tunic/core";
import { describe, expect, test } from "vitest";
import { toStrictForm } from "./strict-schema.js";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const text = { type: "string" };

test("every object is closed, and what cannot be held goes into the description", () => {
  const schema = object(
    {
      name: { ...text, minLength: 2, format: "email" },
      at: object({ x: { type: "number", minimum: 0 } }, { required: ["x"] }),
      tags: { type: "array", items: text, maxItems: 3 },
    },
    { required: ["name"] },
  );
  const before = JSON.stringify(schema);
  expect(toStrictForm(schema)).toEqual({
    schema: object(
      {
        name: { ...text, format: "email", description: "{minLength: 2}" },
        at: object(
          { x: { type: "number", description: "{minimum: 0}" } },
          { required: ["x"], additionalProperties: false },
        ),
        tags: { type: "array", items: text, description: "{maxItems: 3}" },
      },
      { required: ["name"], additionalProperties: false },
    ),
    optional: 2,
    unions: 0,
  });
  expect(JSON.stringify(schema)).toBe(before);
  expect(toStrictForm(schema)).toBe(toStrictForm(schema));
});

test("what is limited in a request is counted, wherever it stands", () => {
  const schema = object(
    {
      a: { type: ["string", "null"] },
      b: { anyOf: [text, { type: "null" }] },
      c: object({ d: text, e: text }, { required: ["e"] }),
      f: { $ref: "#/$defs/F" },
    },
    { required: ["a", "b", "c", "f"], $defs: { F: object({ g: text }) } },
  );
  expect(toStrictForm(schema)).toMatchObject({ optional: 2, unions: 2 });
});

describe("a schema without a strict form says why", () => {
  test.each<[string, JsonObject, RegExp]>([
    ["a map", object({ m: { type: "object", additionalProperties: text } }), /"m" takes members/],
    ["an open object", object({}, { additionalProperties: true }), /the root takes members/],
    ["a free object", object({ o: { type: "object" } }), /"o" is an object of anything/],
    ["anything", object({ a: {} }), /"a" has no type/],
    ["a schema that is true", object({ a: true }), /"a" allows anything/],
    ["a list of anything", object({ l: { type: "array" } }), /"l" is a list of anything/],
    ["names by pattern", object({}, { patternProperties: { "^x": text } }), /patternProperties/],
    ["all of several", object({ a: { allOf: [text] } }), /"a" has allOf/],
    [
      "a circle",
      object({ n: { $ref: "#/$defs/N" } }, { $defs: { N: object({ n: { $ref: "#/$defs/N" } }) } }),
      /recursive/,
    ],
    ["a pointer elsewhere", object({ a: text, b: { $ref: "#/properties/a" } }), /"b" refers to/],
    ["a type among others", object({ o: { type: ["object", "null"] } }), /several types.*object/],
    ["a fixed object", object({ c: { const: { a: 1 } } }), /fixed value/],
    ["fixed values of any kind", object({ c: { enum: [[1]] } }), /fixed value/],
    [
      "alternatives with members",
      object({ a: { type: "object", properties: { b: text }, anyOf: [{ required: ["b"] }] } }),
      /alternatives and members/,
    ],
    ["a branch", object({ a: { oneOf: [text, {}] } }), /alternative of "a" has no type/],
  ])("%s", (_, schema, reason) => {
    expect(toStrictForm(schema)).toEqual({ reason: expect.stringMatching(reason) });
  });
});
