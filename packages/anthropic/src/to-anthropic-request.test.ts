import type { ChatOptions, HostedTool, JsonObject } from "@tunic/core";
import { wireProblems } from "@tunic/testing/wire";
import { afterAll, describe, expect, test } from "vitest";
import { functionTool, message, settings } from "../test/build.js";
import { toAnthropicRequest } from "./to-anthropic-request.js";
import { toAnthropicTools } from "./to-anthropic-tools.js";

const bodies: unknown[] = [];

function body(options: ChatOptions, ...more: ReturnType<typeof message>[]) {
  const { params } = toAnthropicRequest(
    { messages: [message("user", "hi"), ...more], options },
    settings(),
  );
  bodies.push(params);
  return params;
}

afterAll(() => {
  for (const each of bodies) expect(wireProblems("anthropic", each)).toEqual([]);
});

const tools = [functionTool("lamp"), functionTool("door")];

test("the least that is sent", () => {
  expect(body({})).toEqual({
    model: "claude-opus-4-8",
    max_tokens: 128_000,
    messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
  });
});

test("options in the service's words", () => {
  const options: ChatOptions = {
    instructions: [
      { source: "agent", text: "Be kind." },
      { source: "run", text: "Be brief." },
    ],
    model: "claude-opus-4-1",
    maxTokens: 99,
    stop: ["END"],
    metadata: { user_id: "u1" },
  };
  expect(body(options, message("system", "Be quick."))).toMatchObject({
    system: "Be kind.\n\nBe brief.\n\nBe quick.",
    model: "claude-opus-4-1",
    max_tokens: 99,
    stop_sequences: ["END"],
    metadata: { user_id: "u1" },
  });
});

test("the default of max_tokens follows the model that is asked", () => {
  expect(body({ model: "claude-3-haiku-20240307" }).max_tokens).toBe(4096);
  expect(body({ providerOptions: { anthropic: { model: "claude-opus-4-1" } } }).max_tokens).toBe(
    32_000,
  );
});

describe("tool choice", () => {
  test.each<[ChatOptions["toolChoice"], boolean | undefined, unknown]>([
    [undefined, undefined, undefined],
    ["auto", undefined, { type: "auto" }],
    ["none", undefined, { type: "none" }],
    ["required", undefined, { type: "any" }],
    [{ name: "lamp" }, undefined, { type: "tool", name: "lamp" }],
    [undefined, false, { type: "auto", disable_parallel_tool_use: true }],
    ["required", false, { type: "any", disable_parallel_tool_use: true }],
    [{ name: "lamp" }, false, { type: "tool", name: "lamp", disable_parallel_tool_use: true }],
    ["none", false, { type: "none" }],
    [undefined, true, undefined],
  ])("%j, parallel %s", (toolChoice, parallelToolCalls, expected) => {
    const params = body({
      tools,
      ...(toolChoice !== undefined && { toolChoice }),
      ...(parallelToolCalls !== undefined && { parallelToolCalls }),
    });
    expect(params.tool_choice).toEqual(expected);
    expect(params.tools).toHaveLength(2);
  });

  test("a list of allowed tools narrows what is offered", () => {
    expect(body({ tools, toolChoice: { allowed: ["door"] } })).toMatchObject({
      tools: [{ name: "door" }],
    });
    expect(body({ tools, toolChoice: { allowed: ["door"] } }).tool_choice).toBeUndefined();
  });

  test("without tools neither tools nor a choice is sent", () => {
    const params = body({ tools: [], toolChoice: "none", parallelToolCalls: false });
    expect(params).not.toHaveProperty("tools");
    expect(params).not.toHaveProperty("tool_choice");
  });
});

describe("tools", () => {
  test("each is converted once", () => {
    const [first] = toAnthropicTools(tools);
    expect(toAnthropicTools(tools)[0]).toBe(first);
    expect(first).toEqual({
      name: "lamp",
      description: "The lamp.",
      input_schema: { type: "object", properties: {} },
    });
  });

  test("B23: their schemas are objects without a combinator at the root", () => {
    const sent = (schema: JsonObject) =>
      toAnthropicTools([functionTool("t", schema)]).map((tool) =>
        "input_schema" in tool ? tool.input_schema : undefined,
      );
    expect(sent({})).toEqual([{ type: "object", properties: {} }]);
    const $defs = { A: { type: "object", properties: { a: {} } } };
    expect(sent({ anyOf: [{ $ref: "#/$defs/A" }, { required: ["a"] }], $defs })).toEqual([
      { type: "object", properties: { a: {} }, $defs },
    ]);
    expect(() => sent({ type: "array" })).toThrow(/tool "t".*type: "object"/);
  });

  test("hosted tools of Anthropic go in as they are", () => {
    const definition: JsonObject = { type: "web_search_20250305", name: "web_search", max_uses: 2 };
    const search: HostedTool = {
      type: "hosted",
      provider: "anthropic",
      name: "web_search",
      definition,
    };
    expect(body({ tools: [search] }).tools).toEqual([definition]);
  });

  test("a hosted tool of another is refused, with its name", () => {
    const files = { type: "hosted", provider: "openai", name: "files", definition: {} } as const;
    expect(() => toAnthropicTools([files])).toThrow(
      expect.objectContaining({
        code: "foreign_tool",
        message: expect.stringMatching(/"files".*openai/),
      }),
    );
  });
});

test("a form of the answer becomes the service's own, once for each schema", () => {
  const schema = {
    type: "object",
    properties: { n: { type: "integer", minimum: 1 } },
    required: ["n"],
  };
  const options: ChatOptions = { responseFormat: { type: "json_schema", schema } };
  const params = body(options);
  expect(params.output_config?.format).toMatchObject({
    type: "json_schema",
    schema: { type: "object", properties: { n: { type: "integer" } }, additionalProperties: false },
  });
  expect(schema.properties.n).toEqual({ type: "integer", minimum: 1 });
  expect(body(options).output_config?.format).toBe(params.output_config?.format);
  const list = { type: "json_schema", schema: { type: "array" } } as const;
  expect(() => body({ responseFormat: list })).toThrow(
    expect.objectContaining({ code: "schema_not_object" }),
  );
});

test.each<[ChatOptions, string]>([
  [{ temperature: 0 }, "options.temperature"],
  [{ topP: 0.9 }, "options.topP"],
  [{ seed: 1 }, "options.seed"],
  [{ frequencyPenalty: 1 }, "options.frequencyPenalty"],
  [{ presencePenalty: 0 }, "options.presencePenalty"],
  [{ conversationId: "c" }, "options.conversationId"],
  [{ metadata: { team: "a" } }, "options.metadata.team"],
])("%j has no form there and is refused by name", (options, name) => {
  const refused = expect.objectContaining({
    code: "unsupported",
    message: expect.stringContaining(name),
  });
  expect(() => body(options)).toThrow(refused);
});

describe("providerOptions.anthropic", () => {
  const given = (anthropic: JsonObject, options: ChatOptions = {}) =>
    body({ ...options, providerOptions: { anthropic, openai: { user: "u" } } });

  test("go in last, as they are; those of others do not", () => {
    const params = given({
      thinking: { type: "enabled", budget_tokens: 1024 },
      max_tokens: 2000,
      cache_control: { type: "ephemeral" },
    });
    expect(params).toMatchObject({
      thinking: { type: "enabled", budget_tokens: 1024 },
      max_tokens: 2000,
      cache_control: { type: "ephemeral" },
    });
    expect(params).not.toHaveProperty("user");
  });

  test("are the way to what an older version of the API takes", () => {
    const options = { providerOptions: { anthropic: { temperature: 0 } } };
    const request = { messages: [message("user", "hi")], options };
    expect(toAnthropicRequest(request, settings()).params).toMatchObject({ temperature: 0 });
  });

  test("join an object one level deep", () => {
    const schema = { type: "object", properties: {} };
    const params = given(
      { output_config: { effort: "low" } },
      { responseFormat: { type: "json_schema", schema } },
    );
    expect(params.output_config).toMatchObject({ effort: "low", format: { type: "json_schema" } });
  });

  test.each<[JsonObject, ChatOptions]>([
    [{ stop_sequences: ["a"] }, { stop: ["b"] }],
    [{ max_tokens: 1 }, { maxTokens: 2 }],
    [{ model: "a" }, { model: "b" }],
    [{ system: "a" }, { instructions: "b" }],
    [{ metadata: { user_id: "a" } }, { metadata: { user_id: "b" } }],
    [{ tools: [] }, { tools }],
    [{ messages: [] }, {}],
    [{ stream: true }, {}],
  ])("%j beside %j: two sources of one setting", (own, options) => {
    expect(() => given(own, options)).toThrow(TypeError);
  });
});
