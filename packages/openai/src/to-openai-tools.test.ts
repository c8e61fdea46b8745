import { ConfigurationError, type HostedTool, type JsonObject } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { tool } from "../test/helpers.js";
import { toOpenAITools } from "./to-openai-tools.js";
import { toWireSchema } from "./wire-schema.js";

const hosted = (provider: string, definition: JsonObject): HostedTool => ({
  type: "hosted",
  provider,
  name: "search",
  definition,
});

describe("tools", () => {
  it("are definitions of functions", () => {
    expect(toOpenAITools([{ ...tool("lamp"), description: "" }])).toEqual([
      {
        type: "function",
        function: { name: "lamp", parameters: { type: "object", properties: {} } },
      },
    ]);
  });

  it("of the service are passed on as they are", () => {
    const definition = { type: "builtin_function", function: { name: "$web_search" } };
    expect(toOpenAITools([hosted("openai", definition)])).toEqual([definition]);
  });

  it("of another service, and custom ones, are refused", () => {
    expect(() => toOpenAITools([hosted("anthropic", {})])).toThrow(/"search" is run by anthropic/);
    expect(() => toOpenAITools([hosted("openai", { type: "custom" })])).toThrow(ConfigurationError);
  });
});

describe("wire schemas", () => {
  const wire = (schema: JsonObject) => toWireSchema(schema, "t");

  it("keep everything below the root", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      title: "T",
      properties: { a: { anyOf: [{ type: "string" }, { $ref: "#/$defs/B" }] } },
      required: ["a"],
      additionalProperties: false,
      $defs: { B: { type: "number" } },
    };
    const { $schema: _, ...rest } = schema;
    expect(wire(schema)).toEqual(rest);
  });

  it("take in what the root refers to", () => {
    const properties = { a: { type: "string" } };
    const $defs = {
      A: { type: "object", properties, required: ["a"], additionalProperties: false },
    };
    expect(wire({ $ref: "#/$defs/A", $defs })).toEqual({
      type: "object",
      properties,
      required: ["a"],
      additionalProperties: false,
      $defs,
    });
  });

  it("demand what every part of an allOf demands, and what all alternatives do", () => {
    const one = (name: string) => ({
      properties: { [name]: { type: "string" } },
      required: [name],
    });
    const schema = {
      allOf: [one("a"), { oneOf: [{ allOf: [one("b"), one("c")] }, one("c")] }],
    };
    expect(wire(schema)).toMatchObject({
      properties: { a: {}, b: {}, c: { type: "string" } },
      required: ["a", "c"],
    });
  });

  it("let the root's own description of a member stand", () => {
    const schema = {
      type: ["object", "null"],
      properties: { k: { type: "string" } },
      anyOf: [{ properties: { k: { const: "x" } } }, { type: "null" }],
    };
    expect(wire(schema)).toEqual({ type: "object", properties: { k: { type: "string" } } });
  });

  it("do not follow a circle, and keep a member with a special name", () => {
    const schema = JSON.parse(
      '{"$ref":"#/$defs/A","$defs":{"A":{"anyOf":[{"$ref":"#/$defs/A"},{"properties":{"__proto__":{}}}]}}}',
    );
    expect(JSON.stringify(wire(schema)["properties"])).toBe('{"__proto__":{}}');
  });

  it.each([{ type: "array" }, { type: ["string", "null"] }])("refuse a root of %j", (schema) => {
    expect(() => wire(schema)).toThrow(/tool "t".*type: "object"/);
  });

  it("refuse pointers that would point nowhere", () => {
    const schema = {
      anyOf: [{ properties: { a: {} } }],
      properties: { b: { $ref: "#/anyOf/0/properties/a" } },
    };
    expect(() => wire(schema)).toThrow(/"#\/anyOf\/0\/properties\/a".*\$defs/);
  });
});
