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
      "tools beside cached content",
      problems({
        contents: [hello],
        tools: [{ functionDeclarations: [{ name: "a" }] }],
        cachedContent: "cachedContents/abc",
      }),
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
