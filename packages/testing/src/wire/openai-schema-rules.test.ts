import { describe, expect, it } from "vitest";
import { wireProblems } from "./wire-problems.js";

type Json = Readonly<Record<string, unknown>>;

const problems = (body: Json) => wireProblems("openai-chat", { model: "gpt-5", ...body });
const hello = { role: "user", content: "Hello" };
const tool = (name: string, parameters: Json, more: Json = {}) => ({
  type: "function",
  function: { name, parameters, ...more },
});
const strictObject = (properties: Json, more: Json = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const strict = (parameters: Json) => ({
  messages: [hello],
  tools: [tool("lamp", parameters, { strict: true })],
});
const nested = (levels: number): Json =>
  strictObject(levels === 1 ? {} : { inside: nested(levels - 1) });

describe("the schema of an OpenAI function passes with", () => {
  it.each<[string, Json]>([
    [
      "a strict tool",
      strict(
        strictObject(
          {
            a: { type: ["string", "null"] },
            b: { anyOf: [{ type: "number" }, { $ref: "#/$defs/c" }] },
            d: { type: "array", items: strictObject({}) },
          },
          { $defs: { c: { type: "string", enum: ["x"] } } },
        ),
      ),
    ],
    ["a strict tool of ten levels", strict(nested(10))],
    [
      "an array with items",
      {
        messages: [hello],
        tools: [tool("lamp", { type: "object", properties: { a: { type: "array", items: {} } } })],
      },
    ],
  ])("%s", (_, body) => {
    expect(problems(body)).toEqual([]);
  });
});

describe("the schema of an OpenAI function fails with", () => {
  it.each<[string, Json, string]>([
    [
      "parameters that are no object",
      { messages: [hello], tools: [tool("a", { type: "string" })] },
      "tools[0].parameters: the root is not of type object",
    ],
    [
      "a union at the root",
      { messages: [hello], tools: [tool("a", { type: "object", anyOf: [{}] })] },
      "tools[0].parameters: anyOf at the root",
    ],
    [
      "an array without items",
      {
        messages: [hello],
        tools: [tool("a", { type: "object", properties: { b: { type: "array" } } })],
      },
      "tools[0].parameters.properties.b: an array without items",
    ],
    [
      "a strict tool with an optional property",
      strict({ ...strictObject({ a: { type: "string" } }), required: [] }),
      "requires every property: a",
    ],
    [
      "a strict tool that requires what it lacks",
      strict({ ...strictObject({}), required: ["a"] }),
      'required, but unknown: "a"',
    ],
    [
      "a strict tool that is open",
      strict({ type: "object", properties: {}, required: [] }),
      "additionalProperties: false",
    ],
    [
      "a strict tool that is open inside",
      strict(strictObject({ a: { type: "array", items: { type: "object" } } })),
      ".properties.a.items: a strict object has",
    ],
    ["a strict tool with a property of no type", strict(strictObject({ a: {} })), "says its type"],
    [
      "a strict tool with an unknown format",
      strict(strictObject({ a: { type: "string", format: "uri" } })),
      'the format "uri"',
    ],
    ["a strict tool of eleven levels", strict(nested(11)), "11 levels of nesting"],
    [
      "a strict tool with too many properties",
      strict(
        strictObject(
          Object.fromEntries(
            Array.from({ length: 5001 }, (_, at) => [`p${at}`, { type: "string" }]),
          ),
        ),
      ),
      "5001 properties",
    ],
    [
      "a strict tool with too many values",
      strict(strictObject({ a: { type: "string", enum: Array.from({ length: 1001 }, String) } })),
      "1001 enum values",
    ],
    ...["allOf", "oneOf", "not", "if", "patternProperties", "default", "dependentRequired"].map(
      (keyword): [string, Json, string] => [
        `a strict tool with ${keyword}`,
        strict(
          strictObject({
            a: {
              type: "object",
              properties: {},
              required: [],
              additionalProperties: false,
              [keyword]: {},
            },
          }),
        ),
        `tools[0].parameters.properties.a: strict schemas have no ${keyword}`,
      ],
    ),
  ])("%s", (_, body, expected) => {
    expect(problems(body).join("\n")).toContain(expected);
  });
});
