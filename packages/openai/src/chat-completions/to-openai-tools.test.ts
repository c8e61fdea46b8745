import { ConfigurationError, type HostedTool, type JsonObject } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { tool } from "../../test/helpers.js";
import { toOpenAITools } from "./to-openai-tools.js";

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

describe("schemas of tools", () => {
  const parameters = (schema: JsonObject) => {
    const [made] = toOpenAITools([tool("t", schema)]);
    return made?.type === "function" ? made.function.parameters : undefined;
  };

  it("go out as they are where the service takes them", () => {
    const schema = {
      type: "object",
      title: "T",
      properties: { a: { $ref: "#/$defs/B" } },
      $defs: { B: {} },
    };
    expect(parameters(schema)).toBe(schema);
  });

  it("go out with the root that the service takes", () => {
    const target = { type: "object", properties: { a: {} }, required: ["a"] };
    const $defs = { A: target };
    expect(parameters({ $ref: "#/$defs/A", $defs })).toEqual({ ...target, $defs });
  });

  it.each([{ type: "array" }, { type: ["string", "null"] }])("refuse a root of %j", (schema) => {
    expect(() => parameters(schema)).toThrow(/tool "t".*type: "object"/);
  });

  it("refuse pointers that would point nowhere", () => {
    const schema = {
      anyOf: [{ properties: { a: {} } }],
      properties: { b: { $ref: "#/anyOf/0/properties/a" } },
    };
    expect(() => parameters(schema)).toThrow(/tool "t".*"#\/anyOf\/0\/properties\/a".*\$defs/);
  });
});
