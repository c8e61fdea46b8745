import { LLMock } from "@copilotkit/aimock";
import { wireProblems } from "@tunic/testing/wire";
import OpenAI from "openai";
import { afterEach, beforeEach, expect, it } from "vitest";
import { OpenAIResponsesClient, toOpenAIResponsesInput } from "../../src/index.js";
import { failureOf, message, request, result, tool } from "../helpers.js";
import { plainContents, streamed } from "./read-answer.js";

async function startMock(): Promise<LLMock> {
  const mock = new LLMock({ port: 0, host: "127.0.0.1" });
  await mock.start();
  return mock;
}

/** A client that sends nothing which breaks the vendor's rules: aimock itself takes anything. */
function clientOf(mock: LLMock, store = false, send: typeof fetch = fetch): OpenAIResponsesClient {
  const checked: typeof fetch = async (address, init) => {
    expect(wireProblems("openai-responses", JSON.parse(String(init?.body)))).toEqual([]);
    return await send(address, init);
  };
  const client = new OpenAI({
    apiKey: "k",
    baseURL: `${mock.url}/v1`,
    maxRetries: 0,
    logLevel: "off",
    fetch: checked,
  });
  return new OpenAIResponsesClient({ model: "gpt-4.1-mini", client, store, strictTools: true });
}

let mock: LLMock;
let client: OpenAIResponsesClient;

beforeEach(async () => {
  mock = await startMock();
  client = clientOf(mock);
});
afterEach(() => mock.stop());

const tools = [tool("lamp", { type: "object", properties: { room: { type: "string" } } })];
const hello = request([message("user", "Hello")], { tools, instructions: "Be brief." });

it("reads text and reasoning, streamed and whole, and sends it back encrypted", async () => {
  const asked = request(hello.messages, { ...hello.options, model: "gpt-5" });
  mock.onMessage("Hello", { content: "Good morning, naïve 🦊.", reasoning: "Hm." });
  const { response } = await streamed(client, asked);
  const whole = await client.getResponse(asked);
  for (const each of [response, whole]) {
    expect(plainContents(each)).toEqual([
      { type: "text_reasoning", text: "Hm." },
      { type: "text", text: "Good morning, naïve 🦊." },
    ]);
    expect(each.finishReason).toBe("stop");
    expect(toOpenAIResponsesInput(each.messages)).toMatchObject([
      { type: "reasoning", encrypted_content: expect.any(String) },
      { type: "message", role: "assistant" },
    ]);
  }
});

it.each([true, false])(
  "reads parallel calls, and goes on with their results; store: %s",
  async (store) => {
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
    const asking = clientOf(mock, store);
    const { response } = await streamed(asking, hello);
    expect(plainContents(response)).toEqual([
      { type: "function_call", callId: "call_1", name: "lamp", arguments: { room: "hall" } },
      { type: "function_call", callId: "call_2", name: "lamp", arguments: {} },
    ]);
    expect(plainContents(await asking.getResponse(hello))).toEqual(plainContents(response));
    const results = message("tool", result("call_1", "on"), result("call_2", "on"));
    const { conversationId } = response;
    expect(conversationId !== undefined).toBe(store);
    const log = [...hello.messages, ...response.messages, results];
    const next = await streamed(asking, request(log, { ...hello.options, conversationId }));
    expect(plainContents(next.response)).toEqual([{ type: "text", text: "Both are on." }]);
  },
);

it("a call that was cut does not run", async () => {
  mock.onMessage("Hello", {
    toolCalls: [{ name: "lamp", arguments: '{"room":' }],
    finishReason: "length",
  });
  for (const made of [(await streamed(client, hello)).response, await client.getResponse(hello)]) {
    expect(made.finishReason).toBe("length");
    expect(plainContents(made)).toMatchObject([{ parseError: expect.any(String) }]);
  }
});

it("reports a rate limit with the time to wait, and an overloaded service once", async () => {
  mock.onMessage("Hello", { error: { message: "Too many." }, status: 429, retryAfter: 3 });
  const expected = { code: "rate_limit", status: 429, retryable: true, retryAfterMs: 3000 };
  expect(await failureOf(client.getResponse(hello))).toMatchObject(expected);
  expect(await failureOf(streamed(client, hello))).toMatchObject(expected);
  mock.onMessage("Hi", { content: "Hi." });
  mock.nextRequestError(503, { message: "Overloaded." });
  const hi = request([message("user", "Hi")]);
  expect(await failureOf(streamed(client, hi))).toMatchObject({ code: "overloaded", status: 503 });
  expect(plainContents((await streamed(client, hi)).response)).toEqual([
    { type: "text", text: "Hi." },
  ]);
});
