import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type WireFormat, wireProblems } from "./wire-problems.js";

const formats: readonly WireFormat[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

/** A value inside many others. */
function nested(levels: number, around: (inside: unknown) => unknown): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = around(value);
  return value;
}

function withSchema(schema: unknown): unknown {
  const own = { name: "a", parameters: schema, strict: true };
  return {
    tools: [
      {
        ...own,
        type: "function",
        function: own,
        input_schema: schema,
        functionDeclarations: [{ name: "a", parametersJsonSchema: schema }],
      },
    ],
  };
}

describe.each(formats)("a body of %s", (format) => {
  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a text", "body"],
    ["a list", []],
    ["an empty object", {}],
    ["messages within messages", { messages: nested(30_000, (inside) => [inside]) }],
    [
      "a schema within schemas",
      withSchema(nested(30_000, (a) => ({ type: "object", properties: { a } }))),
    ],
  ])("that is or has %s has problems", (_what, body) => {
    expect(wireProblems(format, body)).not.toEqual([]);
  });

  it("may be any JSON: it is checked, and nothing is thrown", () => {
    const members = ["messages", "input", "contents", "tools", "role", "content", "parts", "type"];
    const more = [
      "id",
      "function",
      "name",
      "parameters",
      "properties",
      "$ref",
      "anyOf",
      "required",
    ];
    const values = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 7 },
        fc.constantFrom<unknown>(
          "user",
          "assistant",
          "tool",
          "function",
          "object",
          "#/%ZZ",
          null,
          1,
        ),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...members, ...more, "__proto__"), tie("value")),
      ),
    }));
    fc.assert(
      fc.property(values.value, (body) => {
        expect(wireProblems(format, body)).toBeInstanceOf(Array);
      }),
      { numRuns: 50 },
    );
  });
});

it("many ways through the references of a schema are walked once each", () => {
  const both = (name: string) => ({
    type: "object",
    properties: { a: { $ref: name }, b: { $ref: name } },
    required: ["a", "b"],
  });
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`d${at}`, at === 39 ? {} : both(`#/$defs/d${at + 1}`)]),
  );
  const parametersJsonSchema = { ...both("#/$defs/d0"), $defs };
  const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
  const tools = [{ functionDeclarations: [{ name: "a", parametersJsonSchema }] }];
  expect(wireProblems("gemini", { contents, tools })).toEqual([]);
});
