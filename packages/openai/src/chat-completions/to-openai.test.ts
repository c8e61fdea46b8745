import { ChatClientError, type ChatOptions, ConfigurationError, hostedTool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { message, noticingRun, request, tool } from "../../test/helpers.js";
import { serviceAt } from "../service.js";
import { toRequestBody } from "./to-openai.js";

const defaults = {
  model: "m",
  service: serviceAt("https://api.openai.com/v1"),
  strict: false,
};
const bodyOf = (options: ChatOptions) => toRequestBody(request(undefined, options), defaults);
const tools = [tool("lamp"), tool("gauge")];

it("sends only what was set", () => {
  expect(bodyOf({})).toEqual({ model: "m", messages: [{ role: "user", content: "Hello" }] });
});

it("sends every option under its name", () => {
  const options: ChatOptions = {
    instructions: [
      { source: "agent", text: "One." },
      { source: "run", text: "Two." },
    ],
    model: "other",
    temperature: 0,
    topP: 0.9,
    maxTokens: 50,
    stop: ["END"],
    seed: 7,
    frequencyPenalty: 0.1,
    presencePenalty: 0.2,
    tools,
    toolChoice: "required",
    parallelToolCalls: false,
    responseFormat: {
      type: "json_schema",
      name: "answer",
      schema: { type: "object", properties: {} },
      strict: false,
    },
    metadata: { user: "u1" },
    providerOptions: {
      openai: { reasoning_effort: "low", store: true },
      anthropic: { thinking: {} },
    },
  };
  expect(bodyOf(options)).toEqual({
    model: "other",
    messages: [
      { role: "system", content: "One.\n\nTwo." },
      { role: "user", content: "Hello" },
    ],
    temperature: 0,
    top_p: 0.9,
    max_completion_tokens: 50,
    stop: ["END"],
    seed: 7,
    frequency_penalty: 0.1,
    presence_penalty: 0.2,
    tools: tools.map(({ name, description }) => ({
      type: "function",
      function: { name, description, parameters: { type: "object", properties: {} } },
    })),
    tool_choice: "required",
    parallel_tool_calls: false,
    response_format: {
      type: "json_schema",
      json_schema: { name: "answer", schema: { type: "object", properties: {} }, strict: false },
    },
    metadata: { user: "u1" },
    reasoning_effort: "low",
    store: true,
  });
});

it("refuses tags that OpenAI would keep nowhere, and sends them to other servers", () => {
  const options: ChatOptions = { metadata: { user: "u1" } };
  expect(() => bodyOf(options)).toThrow(expect.objectContaining({ code: "unsupported" }));
  const elsewhere = { ...defaults, service: serviceAt("http://127.0.0.1:8080/v1") };
  expect(toRequestBody(request(undefined, options), elsewhere).metadata).toEqual({ user: "u1" });
});

it("refuses OpenAI's own tools, which chat completions do not run, and passes them on elsewhere", () => {
  const search = hostedTool({
    provider: "openai",
    name: "search",
    definition: { type: "web_search" },
  });
  const options: ChatOptions = { tools: [search] };
  expect(() => bodyOf(options)).toThrow(expect.objectContaining({ code: "unsupported_tool" }));
  const elsewhere = { ...defaults, service: serviceAt("http://127.0.0.1:8080/v1") };
  expect(toRequestBody(request(undefined, options), elsewhere).tools).toEqual([
    { type: "web_search" },
  ]);
});

describe("the tool choice", () => {
  it.each([
    ["auto", "auto"],
    ["none", "none"],
    [{ name: "lamp" }, { type: "function", function: { name: "lamp" } }],
    [
      { allowed: ["gauge"] },
      {
        type: "allowed_tools",
        allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "gauge" } }] },
      },
    ],
  ] as const)("%j is sent as %j", (toolChoice, expected) => {
    expect(bodyOf({ tools, toolChoice })).toMatchObject({ tool_choice: expected });
  });

  it("and settings of calls are left out where there are no tools", () => {
    const body = bodyOf({ tools: [], toolChoice: "auto", parallelToolCalls: true });
    expect(Object.keys(body)).toEqual(["model", "messages"]);
  });

  it.each(["required", { name: "lampe" }, { allowed: ["lampe"] }] as const)(
    "%j is refused where no tool fits",
    (toolChoice) => {
      expect(() => bodyOf({ toolChoice })).toThrow(ConfigurationError);
      if (toolChoice !== "required") {
        expect(() => bodyOf({ tools, toolChoice })).toThrow(/lampe.*lamp, gauge/);
      }
    },
  );
});

describe("provider options", () => {
  it.each([
    [{ temperature: 1 }, { temperature: 2 }],
    [{ maxTokens: 5 }, { max_tokens: 6 }],
    [{ tools }, { tools: [] }],
    [{}, { model: "x" }],
    [{}, { messages: [] }],
    [{}, { stream: true }],
  ])("refuse to overwrite %j with %j", (options, openai) => {
    const make = () => bodyOf({ ...options, providerOptions: { openai } });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(`providerOptions.openai.${Object.keys(openai)[0]}`);
  });

  it("may say how usage is asked for", () => {
    const asked = request(undefined, { providerOptions: { openai: { stream_options: null } } });
    const body = toRequestBody({ ...asked, onUpdate: () => {} }, defaults);
    expect(body).toMatchObject({ stream: true, stream_options: null });
  });
});

it("refuses a conversation id and an odd name of a format", () => {
  expect(() => bodyOf({ conversationId: "c" })).toThrow(ChatClientError);
  expect(() =>
    bodyOf({ responseFormat: { type: "json_schema", name: "an answer", schema: {} } }),
  ).toThrow(ConfigurationError);
});

it("reports what was left out as a notice of the run", () => {
  const notices: string[] = [];
  const odd = message("user", "a", { type: "hosted_tool_result", callId: "h" });
  toRequestBody({ ...request([odd]), run: noticingRun(notices) }, defaults);
  expect(notices).toEqual([expect.stringMatching(/^content_left_out: .*hosted_tool_result/)]);
});
