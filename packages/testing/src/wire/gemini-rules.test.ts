import { describe, expect, it } from "vitest";
import { wireProblems } from "./wire-problems.js";

type Json = Readonly<Record<string, unknown>>;

const problems = (body: Json) => wireProblems("gemini", body);
const contents = (...list: readonly Json[]) => problems({ contents: list });
const user = (...parts: readonly Json[]) => ({ role: "user", parts });
const model = (...parts: readonly Json[]) => ({ role: "model", parts });
const text = (words: string, more: Json = {}) => ({ text: words, ...more });
const hello = user(text("Hello"));
const call = (name: string, id?: string) => ({
  functionCall: { name, args: {}, ...(id && { id }) },
});
const response = (name: string, id?: string, more: Json = {}) => ({
  functionResponse: { name, response: { output: "on" }, ...(id && { id }), ...more },
});
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

/** What `@google/genai` 2.32.0 sent over loopback for a request with everything in it. */
const recorded = {
  contents: [
    {
      parts: [{ text: "hi" }, { inlineData: { mimeType: "image/png", data: "AAAA" } }],
      role: "user",
    },
    {
      parts: [
        { text: "t", thought: true },
        { functionCall: { args: { x: 1 }, id: "c1", name: "a.b" }, thoughtSignature: "U0lH" },
      ],
      role: "model",
    },
    {
      parts: [
        {
          functionResponse: {
            name: "a.b",
            id: "c1",
            response: { output: "x" },
            parts: [{ inlineData: { mimeType: "image/png", data: "AAAA", displayName: "q" } }],
          },
        },
      ],
      role: "user",
    },
  ],
  serviceTier: "flex",
  systemInstruction: { parts: [{ text: "be" }], role: "user" },
  safetySettings: [{ category: "HARM_CATEGORY_HATE_SPEECH", threshold: "BLOCK_NONE" }],
  tools: [
    {
      functionDeclarations: [
        {
          name: "a.b",
          description: "d",
          parametersJsonSchema: { type: "object", properties: { x: { type: ["number", "null"] } } },
        },
        {
          name: "c",
          parameters: {
            type: "OBJECT",
            properties: { x: { type: "ARRAY", items: { type: "STRING" }, minItems: "1" } },
          },
        },
      ],
    },
    { googleSearch: {} },
  ],
  toolConfig: { functionCallingConfig: { allowedFunctionNames: ["a.b"], mode: "ANY" } },
  generationConfig: {
    temperature: 1,
    topK: 3,
    maxOutputTokens: 10,
    stopSequences: ["x"],
    seed: 1,
    responseMimeType: "application/json",
    responseJsonSchema: { type: "object" },
    thinkingConfig: { includeThoughts: true, thinkingBudget: 10 },
  },
};

describe("a generateContent request passes with", () => {
  it.each<[string, readonly string[]]>([
    ["what the SDK sends", problems(recorded)],
    ["cached content", problems({ contents: [hello], cachedContent: "cachedContents/abc" })],
    ["turns", contents(hello, model(text("Hi")), hello)],
    [
      "parallel calls of one name",
      contents(
        hello,
        model(call("a"), call("a"), call("b")),
        user(response("b"), response("a"), response("a")),
      ),
    ],
    [
      "calls with ids, and text after the responses",
      contents(
        hello,
        model(call("a", "1"), call("a", "2")),
        user(response("a", "2"), response("a", "1"), text("ok")),
      ),
    ],
    [
      "a signature on an empty text",
      contents(hello, model(text("", { thoughtSignature: "AA==" })), hello),
    ],
    [
      "a name with all that is allowed",
      contents(hello, model(call("_a.b:c-1")), user(response("_a.b:c-1"))),
    ],
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

describe("a generateContent request fails with", () => {
  it.each<[string, readonly string[], string]>([
    ["an unknown member", problems({ contents: [hello], temperature: 1 }), "additional properties"],
    [
      "the model first",
      contents(model(text("Hi"))),
      "contents[0]: the first content is not the user's",
    ],
    ["no contents", contents(), "contents: empty"],
    [
      "a role of old",
      contents(hello, { role: "function", parts: [text("x")] }),
      'contents[1]: the role "function"',
    ],
    ["no role", contents({ parts: [text("x")] }), "contents[0]: the role undefined"],
    ["a role twice", contents(hello, hello), "contents[1]: the role is repeated"],
    ["no parts", contents(hello, model()), "contents[1]: no parts"],
    [
      "a call without response",
      contents(hello, model(call("a")), hello),
      "contents[2]: 0 function responses to 1 calls",
    ],
    [
      "last calls without responses",
      contents(hello, model(call("a"))),
      "the last calls have no responses",
    ],
    [
      "a response without call",
      contents(user(response("a"))),
      "contents[0]: 1 function responses to 0 calls",
    ],
    [
      "too few responses",
      contents(hello, model(call("a"), call("a")), user(response("a"))),
      "contents[2]: 1 function responses to 2 calls",
    ],
    [
      "a response of another name",
      contents(hello, model(call("a")), user(response("b"))),
      'contents[2]: no call for the response "b"',
    ],
    [
      "a response of another id",
      contents(hello, model(call("a", "1")), user(response("a", "2"))),
      'contents[2]: no call for the response "a"',
    ],
    [
      "a response without the id",
      contents(hello, model(call("a", "1")), user(response("a"))),
      'contents[2]: no call for the response "a"',
    ],
    [
      "a response with an id that no call has",
      contents(hello, model(call("a")), user(response("a", "1"))),
      'contents[2]: no call for the response "a"',
    ],
    [
      "a response after text",
      contents(hello, model(call("a")), user(text("x"), response("a"))),
      "contents[2]: a functionResponse after another part",
    ],
    ["a call of the user", contents(user(call("a"))), 'a functionCall in a content of role "user"'],
    [
      "a response of the model",
      contents(hello, model(response("a"))),
      'a functionResponse in a content of role "model"',
    ],
    [
      "a response that is a text",
      contents(hello, model(call("a")), user(response("a", undefined, { response: "on" }))),
      "functionResponse.response is no object",
    ],
    [
      "two fields of data",
      contents(user({ text: "a", inlineData: { mimeType: "image/png", data: "AAAA" } })),
      "contents[0].parts[0]: 2 fields of data: text, inlineData",
    ],
    [
      "a part that is only a signature",
      contents(hello, model({ thoughtSignature: "AAAA" })),
      "contents[1].parts[0]: 0 fields of data",
    ],
    ["an empty text", contents(user(text(""))), "contents[0].parts[0]: an empty text"],
    [
      "a signature beside the parts",
      contents(hello, { ...model(text("x")), thoughtSignature: "AAAA" }),
      "thoughtSignature",
    ],
    [
      "a signature that is no base64",
      contents(hello, model(text("x", { thoughtSignature: "?" }))),
      'the signature "?" is no base64',
    ],
    [
      "data that is no base64",
      contents(user({ inlineData: { mimeType: "image/png", data: "?" } })),
      "inlineData.data is no base64",
    ],
    [
      "data without a type",
      contents(user({ inlineData: { data: "AAAA" } })),
      "inlineData without mimeType",
    ],
    [
      "data of a response that is no base64",
      contents(
        hello,
        model(call("a")),
        user(
          response("a", undefined, {
            parts: [{ inlineData: { mimeType: "image/png", data: "?" } }],
          }),
        ),
      ),
      "functionResponse.parts[0]: no base64",
    ],
    [
      "a name with a blank",
      contents(hello, model(call("a b")), user(response("a b"))),
      'the name "a b"',
    ],
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
    [
      "tools beside cached content",
      problems({ ...declared({ name: "a" }), cachedContent: "cachedContents/abc" }),
      "tools: belongs into the cached content",
    ],
    [
      "an instruction that is no text",
      problems({
        contents: [hello],
        systemInstruction: { parts: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }] },
      }),
      "systemInstruction.parts[0]: an instruction is text",
    ],
    [
      "two schemas of the answer",
      problems({
        contents: [hello],
        generationConfig: {
          responseMimeType: "application/json",
          responseSchema: { type: "STRING" },
          responseJsonSchema: { type: "string" },
        },
      }),
      "two response schemas",
    ],
    [
      "a schema of the answer without a type",
      problems({ contents: [hello], generationConfig: { responseJsonSchema: { type: "object" } } }),
      "without responseMimeType",
    ],
  ])("%s", (_, told, expected) => {
    expect(told.join("\n")).toContain(expected);
  });
});
