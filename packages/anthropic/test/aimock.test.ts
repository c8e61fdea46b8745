import { LLMock } from "@copilotkit/aimock";
import { type ChatRequest, foldUpdates, type Message, type Update } from "@tunic/core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnthropicChatClient } from "../src/index.js";
import { functionTool, message, result } from "./build.js";

const mock = new LLMock({ port: 0, host: "127.0.0.1" });
let client: AnthropicChatClient;

beforeAll(async () => {
  const baseURL = await mock.start();
  client = new AnthropicChatClient({ model: "claude-opus-4-8", apiKey: "key", baseURL });
});

beforeEach(() => {
  mock.reset();
});

afterAll(async () => {
  await mock.stop();
});

/** Asks twice, streamed and whole; both must come to the same. */
async function askBothWays(messages: readonly Message[], options: ChatRequest["options"] = {}) {
  const updates: Update[] = [];
  const streamed = await client.getResponse({
    messages,
    options,
    onUpdate: (update) => void updates.push(update),
  });
  const whole = await client.getResponse({ messages, options });
  expect(foldUpdates(updates).messages).toEqual(streamed.messages);
  const contentsOf = ({ messages: [only] }: typeof whole) => only?.contents;
  expect(contentsOf(streamed)).toEqual(contentsOf(whole));
  expect(streamed.finishReason).toBe(whole.finishReason);
  return streamed;
}

const tools = [functionTool("lamp", { type: "object", properties: { room: { type: "string" } } })];

describe("a server by others", () => {
  test("text", async () => {
    mock.onMessage("hi", {
      content: "Hello, naïve 🦊!",
      usage: { input_tokens: 10, output_tokens: 4 },
    });
    const response = await askBothWays([message("user", "hi")]);
    expect(response).toMatchObject({
      messages: [{ contents: [{ type: "text", text: "Hello, naïve 🦊!" }] }],
      finishReason: "stop",
      usage: { inputTokens: 10, outputTokens: 4 },
    });
  });

  test("B04 and parallel calls, answered in the next request", async () => {
    mock.on(
      { userMessage: "lights", hasToolResult: false },
      {
        toolCalls: [
          { id: "toolu_1", name: "lamp", arguments: '{"room":"hall"}' },
          { id: "toolu_2", name: "lamp", arguments: "{}" },
        ],
      },
    );
    mock.on({ userMessage: "lights", hasToolResult: true }, { content: "Done." });
    const question = message("user", "lights");
    const { messages, finishReason } = await askBothWays([question], { tools });
    expect(finishReason).toBe("tool_calls");
    expect(messages).toMatchObject([
      {
        contents: [
          { type: "function_call", callId: "toolu_1", arguments: { room: "hall" } },
          { type: "function_call", callId: "toolu_2", arguments: {} },
        ],
      },
    ]);
    const results = [
      message("tool", result("toolu_1", "on")),
      message("tool", result("toolu_2", "on")),
    ];
    const done = await askBothWays([question, ...messages, ...results], { tools });
    expect(done.messages).toMatchObject([{ contents: [{ text: "Done." }] }]);
  });

  test("text and calls in any order", async () => {
    mock.onMessage("lights", {
      blocks: [
        { type: "text", text: "First the hall." },
        { type: "toolCall", name: "lamp", arguments: '{"room":"hall"}', id: "toolu_1" },
        { type: "text", text: "Then I wait." },
      ],
    });
    const { messages } = await askBothWays([message("user", "lights")], { tools });
    expect(messages[0]?.contents.map(({ type }) => type)).toEqual([
      "text",
      "function_call",
      "text",
    ]);
  });

  test("B12: reasoning comes as signed thinking and goes back", async () => {
    mock.onMessage("why", {
      content: "So.",
      reasoning: "hm",
      reasoningSignature: "SIG1",
      redactedThinking: ["RD"],
    });
    const question = message("user", "why");
    const { messages } = await askBothWays([question]);
    expect(messages[0]?.contents).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          type: "text_reasoning",
          text: "hm",
          providerData: { anthropic: { signature: "SIG1" } },
        }),
        expect.objectContaining({
          type: "text_reasoning",
          text: "",
          providerData: { anthropic: { data: "RD" } },
        }),
      ]),
    );
    await client.getResponse({
      messages: [question, ...messages, message("user", "why again")],
      options: {},
    });
    const raw = JSON.stringify(mock.getRequests().at(-1));
    expect(raw).toContain("SIG1");
  });

  test("an answer at its token limit", async () => {
    mock.onMessage("long", { content: "And so", finishReason: "length" });
    expect(await askBothWays([message("user", "long")])).toMatchObject({ finishReason: "length" });
  });

  test.each([
    [429, "rate_limit"],
    [503, "server_error"],
    [529, "overloaded"],
  ])("%d is %s", async (status, code) => {
    mock.onMessage("hi", { content: "Hello" });
    for (const more of [{}, { onUpdate: () => {} }]) {
      mock.nextRequestError(status, { message: "not now", type: "x" });
      const asked = client.getResponse({ messages: [message("user", "hi")], options: {}, ...more });
      await expect(asked).rejects.toMatchObject({ code, status, retryable: true });
    }
  });

  test("a stream that is cut", async () => {
    const content = "A rather long answer that is cut.";
    mock.onMessage("hi", { content }, { truncateAfterChunks: 3, chunkSize: 4 });
    const asked = client.getResponse({
      messages: [message("user", "hi")],
      options: {},
      onUpdate: () => {},
    });
    // That server destroys the connection at once: the head of the answer may never arrive.
    await expect(asked).rejects.toMatchObject({
      code: expect.stringMatching(/^(cut_stream|connection)$/),
      retryable: true,
    });
  });
});
