import { LLMock } from "@copilotkit/aimock";
import { wireProblems } from "@tunic/testing/wire";
import { afterEach, beforeEach, expect, it } from "vitest";
import { OpenAIChatClient } from "../src/index.js";
import { call, contentsOf, failureOf, message, request, result, stream, tool } from "./helpers.js";

let mock: LLMock;
let client: OpenAIChatClient;

beforeEach(async () => {
  mock = new LLMock({ port: 0, host: "127.0.0.1" });
  await mock.start();
  client = new OpenAIChatClient({ model: "gpt-4.1-mini", apiKey: "k", baseURL: `${mock.url}/v1` });
});
afterEach(async () => {
  for (const { body } of mock.getRequests()) {
    // What the server adds for itself begins with "_".
    const sent = JSON.stringify(body, (key, value) => (key.startsWith("_") ? undefined : value));
    expect(wireProblems("openai-chat", JSON.parse(sent))).toEqual([]);
  }
  await mock.stop();
});

const tools = [tool("lamp", { type: "object", properties: { room: { type: "string" } } })];
const hello = request([message("user", "Hello")], { tools, instructions: "Be brief." });

it("reads text, streamed and whole", async () => {
  mock.onMessage("Hello", { content: "Good morning, naïve 🦊.", reasoning: "Hm." });
  const streamed = await stream(client, hello);
  const whole = await client.getResponse(hello);
  expect(contentsOf(streamed)).toEqual(contentsOf(whole));
  expect(contentsOf(whole)).toEqual([
    expect.objectContaining({ type: "text_reasoning", text: "Hm." }),
    { type: "text", text: "Good morning, naïve 🦊." },
  ]);
  expect(whole.finishReason).toBe("stop");
});

it("reads parallel calls, and goes on with their results", async () => {
  mock.on(
    { userMessage: "Hello", hasToolResult: false },
    {
      toolCalls: [
        { id: "call_1", name: "lamp", arguments: '{"room":"hall"}' },
        { id: "call_2", name: "lamp", arguments: "" },
      ],
    },
  );
  mock.on({ hasToolResult: true }, { content: "Both are on." });
  const streamed = await stream(client, hello);
  expect(contentsOf(streamed)).toEqual([
    { type: "function_call", callId: "call_1", name: "lamp", arguments: { room: "hall" } },
    { type: "function_call", callId: "call_2", name: "lamp", arguments: {} },
  ]);
  expect(contentsOf(await client.getResponse(hello))).toEqual(contentsOf(streamed));
  const results = message("tool", result("call_1", "on"), result("call_2", "on"));
  const next = await stream(
    client,
    request([...hello.messages, ...streamed.messages, results], { tools, parallelToolCalls: true }),
  );
  expect(contentsOf(next)).toEqual([{ type: "text", text: "Both are on." }]);
});

it("keeps malformed arguments for what they are", async () => {
  mock.onMessage("Hello", { toolCalls: [{ id: "call_1", name: "lamp", arguments: '{"room":' }] });
  const expected = [
    {
      type: "function_call",
      callId: "call_1",
      name: "lamp",
      argumentsText: '{"room":',
      parseError: expect.any(String),
    },
  ];
  expect(contentsOf(await stream(client, hello))).toEqual(expected);
  expect(contentsOf(await client.getResponse(hello))).toEqual(expected);
});

it("reports a rate limit with the time to wait", async () => {
  const error = { message: "Too many.", type: "rate_limit_error" };
  mock.onMessage("Hello", { error, status: 429, retryAfter: 3 });
  const expected = { code: "rate_limit", status: 429, retryable: true, retryAfterMs: 3000 };
  expect(await failureOf(client.getResponse(hello))).toMatchObject(expected);
  expect(await failureOf(stream(client, hello))).toMatchObject(expected);
});

it("reports an overloaded service once, and works the next time", async () => {
  mock.onMessage("Hello", { content: "Hi." });
  mock.nextRequestError(503, { message: "Overloaded." });
  const failure = await failureOf(stream(client, hello));
  expect(failure).toMatchObject({ code: "overloaded", status: 503, retryable: true });
  expect(contentsOf(await stream(client, hello))).toEqual([{ type: "text", text: "Hi." }]);
});

it("reports a stream that is cut", async () => {
  mock.onMessage(
    "Hello",
    { content: "A longer answer, in several pieces." },
    {
      chunkSize: 4,
      truncateAfterChunks: 3,
    },
  );
  const failure = await failureOf(stream(client, hello));
  // It breaks the connection at once, sometimes before the head of its answer is out.
  expect(["cut_stream", "connection"]).toContain(Object(failure).code);
  expect(failure).toMatchObject({ retryable: true });
});

it("is understood with every option at once", async () => {
  mock.on({ systemMessage: "Be brief." }, { content: "{}" });
  const asked = request(
    [
      message("user", "Hello"),
      message("assistant", call("c", "lamp")),
      message("tool", result("c", "on")),
    ],
    {
      ...hello.options,
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 50,
      stop: ["END"],
      seed: 7,
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
      toolChoice: { allowed: ["lamp"] },
      parallelToolCalls: false,
      responseFormat: {
        type: "json_schema",
        schema: { type: "object", properties: {}, required: [], additionalProperties: false },
      },
      metadata: { user: "u1" },
      providerOptions: { openai: { store: true, reasoning_effort: "low" } },
    },
  );
  expect(contentsOf(await client.getResponse(asked))).toEqual([{ type: "text", text: "{}" }]);
});
