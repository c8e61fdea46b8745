import { describe, expect, it } from "vitest";
import { wireProblems } from "./wire-problems.js";

type Json = Readonly<Record<string, unknown>>;

const problems = (body: Json) => wireProblems("gemini", body);
const hello = { role: "user", parts: [{ text: "Hello" }] };
const declared = (...functionDeclarations: readonly Json[]) => ({
  contents: [hello],
  tools: [{ functionDeclarations }],
});
const parameters = (schema: Json) => problems(declared({ name: "lamp", parameters: schema }));
const jsonSchema = (schema: Json) =>
  problems(declared({ name: "lamp", parametersJsonSchema: schema }));
const choice = (functionCallingConfig: Json, ...names: readonly string[]) =>
  problems({
    ...declared(...names.map((name) => ({ name }))),
    toolConfig: { functionCallingConfig },
  });

describe("the tools of a generateContent request pass with", () => {
  it.each<[string, readonly string[]]>([
    [
      "a limit as a number",
      parameters({
        type: "OBJECT",
        properties: { a: { type: "STRING", maxLength: 3 } },
        required: ["a"],
      }),
    ],
    [
      "a union",
      parameters({
        type: "OBJECT",
        properties: { a: { anyOf: [{ type: "STRING" }, { type: "NULL" }] } },
      }),
    ],
    ["no parameters", problems(declared({ name: "lamp" }))],
    ["a JSON Schema without properties", jsonSchema({ type: "object", properties: {} })],
    [
      "references",
      jsonSchema({
        type: "object",
        properties: { a: { $ref: "#/$defs/a" } },
        $defs: { a: { type: "object", properties: { again: { $ref: "#/$defs/a" } } } },
      }),
    ],
    ["a mode", choice({ mode: "NONE" }, "a")],
  ])("%s", (_, told) => {
    expect(told).toEqual([]);
  });
});

describe("the tools of a generateContent request fail with", () => {
  it.each<[string, readonly string[], string]>([
    [
      "a declared name that begins with a digit",
      problems(declared({ name: "1a" })),
      'tools[0].functionDeclarations[0]: the name "1a"',
    ],
    [
      "a declared name of 129 characters",
      problems(declared({ name: "x".repeat(129) })),
      "tools[0].functionDeclarations[0]: the name",
    ],
    [
      "two functions of one name",
      problems({
        contents: [hello],
        tools: [
          { functionDeclarations: [{ name: "a" }] },
          { functionDeclarations: [{ name: "a" }] },
        ],
      }),
      'tools: two are named "a"',
    ],
    [
      "513 functions",
      problems(declared(...Array.from({ length: 513 }, (_, at) => ({ name: `f${at}` })))),
      "513 functions",
    ],
    ["an empty tool", problems({ contents: [hello], tools: [{}] }), "tools[0]: an empty tool"],
    ["no declarations", problems(declared()), "tools[0]: no declarations"],
    ["an empty list of tools", problems({ contents: [hello], tools: [] }), "tools: an empty list"],
    [
      "two schemas of parameters",
      problems(
        declared({
          name: "a",
          parameters: { type: "OBJECT", properties: { a: { type: "STRING" } } },
          parametersJsonSchema: { type: "object" },
        }),
      ),
      "parameters and parametersJsonSchema",
    ],
    [
      "two schemas of a response",
      problems(
        declared({
          name: "a",
          response: { type: "STRING" },
          responseJsonSchema: { type: "string" },
        }),
      ),
      "response and responseJsonSchema",
    ],
    [
      "a type in lower case",
      parameters({ type: "object", properties: { a: { type: "STRING" } } }),
      "must be equal to one of the allowed values",
    ],
    [
      "a list of types",
      parameters({ type: "OBJECT", properties: { a: { type: ["STRING", "NULL"] } } }),
      "properties.a.type: must be string",
    ],
    [
      "a keyword of JSON Schema",
      parameters({
        type: "OBJECT",
        properties: { a: { type: "STRING" } },
        additionalProperties: false,
      }),
      "additionalProperties",
    ],
    [
      "a reference in a schema of Gemini's",
      parameters({ type: "OBJECT", properties: { a: { $ref: "#/b" } } }),
      "$ref",
    ],
    [
      "parameters that are no OBJECT",
      parameters({ type: "STRING" }),
      "the root is not of type OBJECT",
    ],
    [
      "an OBJECT without properties",
      parameters({ type: "OBJECT", properties: {} }),
      "an OBJECT without properties",
    ],
    [
      "an ARRAY without items",
      parameters({ type: "OBJECT", properties: { a: { type: "ARRAY" } } }),
      ".properties.a: an ARRAY without items",
    ],
    [
      "a property without a type",
      parameters({ type: "OBJECT", properties: { a: {} } }),
      ".properties.a: a schema without a type",
    ],
    [
      "a required property that is not there",
      parameters({ type: "OBJECT", properties: { a: { type: "STRING" } }, required: ["b"] }),
      'required, but unknown: "b"',
    ],
    [
      "an empty text in enum",
      parameters({ type: "OBJECT", properties: { a: { type: "STRING", enum: [""] } } }),
      "an empty text in enum",
    ],
    [
      "a number in enum",
      parameters({ type: "OBJECT", properties: { a: { type: "INTEGER", enum: [1] } } }),
      "enum[0]: must be string",
    ],
    [
      "a parameter's name with a dash",
      parameters({ type: "OBJECT", properties: { "a-b": { type: "STRING" } } }),
      'the parameter "a-b"',
    ],
    [
      "a JSON Schema that is no object",
      jsonSchema({ type: "string" }),
      ".parametersJsonSchema: the root is not of type object",
    ],
    [
      "a type of Gemini's in a JSON Schema",
      jsonSchema({ type: "object", properties: { a: { type: "STRING" } } }),
      'the type "STRING"',
    ],
    [
      "something beside a reference",
      jsonSchema({
        type: "object",
        properties: { a: { $ref: "#/$defs/a", description: "x" } },
        $defs: { a: {} },
      }),
      "beside a $ref: description",
    ],
    [
      "a reference to nothing",
      jsonSchema({ type: "object", properties: { a: { $ref: "#/$defs/b" } } }),
      '"#/$defs/b" leads nowhere',
    ],
    [
      "a reference that nobody can decode",
      jsonSchema({ type: "object", properties: { a: { $ref: "#/%ZZ" } } }),
      '"#/%ZZ" leads nowhere',
    ],
    [
      "a reference to what every object has",
      jsonSchema({ type: "object", properties: { a: { $ref: "#/constructor" } } }),
      '"#/constructor" leads nowhere',
    ],
    [
      "an endless schema",
      jsonSchema({ type: "object", properties: { a: { $ref: "#" } }, required: ["a"] }),
      "a cycle of references",
    ],
    [
      "a choice without functions",
      problems({ contents: [hello], toolConfig: { functionCallingConfig: { mode: "AUTO" } } }),
      "there are no functions",
    ],
    [
      "names where none is forced",
      choice({ mode: "AUTO", allowedFunctionNames: ["a"] }, "a"),
      'names are allowed, but the mode is "AUTO"',
    ],
    [
      "a forced function that is not there",
      choice({ mode: "ANY", allowedFunctionNames: ["b"] }, "a"),
      'no function is named "b"',
    ],
  ])("%s", (_, told, expected) => {
    expect(told.join("\n")).toContain(expected);
  });
});
