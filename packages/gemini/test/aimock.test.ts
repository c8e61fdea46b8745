import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { GeminiChatClient } from "../src/index.js";
import { askBothWays, functionTool, message, result } from "./build.js";
import { checkedClient } from "./checked-client.js";

const mock = new LLMock({ port: 0, host: "127.0.0.1" });
let client: GeminiChatClient;

beforeAll(async () => {
  client = checkedClient(await mock.start());
});

beforeEach(() => {
  mock.reset();
});

afterAll(async () => {
  await mock.stop();
});

const tools = [functionTool("lamp")];

describe("a server by others", () => {
  test("text", async () => {
    mock.onMessage("hi", {
      content: "Hello, naïve 🦊!",
      usage: { input_tokens: 10, output_tokens: 4 },
    });
    expect(await askBothWays(client)).toMatchObject({
      contents: [{ type: "text", text: "Hello, naïve 🦊!" }],
      finishReason: "stop",
      usage: { inputTokens: 10, outputTokens: 4 },
    });
  });

  test("B04 and parallel calls, answered in the next request", async () => {
    mock.on(
      { userMessage: "lights", hasToolResult: false },
      {
        toolCalls: [
          { name: "lamp", arguments: '{"room":"hall"}' },
          { name: "lamp", arguments: "{}" },
        ],
      },
    );
    mock.on({ userMessage: "lights", hasToolResult: true }, { content: "Done." });
    const question = message("user", "lights");
    const first = await client.getResponse({ messages: [question], options: { tools } });
    const asked = await askBothWays(client, { messages: [question], options: { tools } });
    expect(asked.finishReason).toBe("tool_calls");
    expect(asked.contents).toMatchObject([
      { type: "function_call", name: "lamp", arguments: { room: "hall" } },
      { type: "function_call", name: "lamp", arguments: {} },
    ]);
    const calls = first.messages.flatMap(({ contents }) =>
      contents.flatMap((each) => (each.type === "function_call" ? [each.callId] : [])),
    );
    expect(new Set(calls).size).toBe(2);
    const results = calls.map((callId) => message("tool", result(callId, "on")));
    const messages = [question, ...first.messages, ...results];
    const done = await askBothWays(client, { messages, options: { tools } });
    expect(done.contents).toMatchObject([{ text: "Done." }]);
  });

  test("text and calls in any order", async () => {
    mock.onMessage("lights", {
      blocks: [
        { type: "text", text: "First the hall." },
        { type: "toolCall", name: "lamp", arguments: '{"room":"hall"}' },
        { type: "text", text: "Then I wait." },
      ],
    });
    const messages = [message("user", "lights")];
    const { contents } = await askBothWays(client, { messages, options: { tools } });
    expect(contents.map(({ type }) => type)).toEqual(["text", "function_call", "text"]);
  });

  test("thoughts come as reasoning", async () => {
    mock.onMessage("why", { content: "So.", reasoning: "hm" });
    const { contents } = await askBothWays(client, { messages: [message("user", "why")] });
    expect(contents).toMatchObject([
      { type: "text_reasoning", text: "hm" },
      { type: "text", text: "So." },
    ]);
  });

  test("an answer at its token limit", async () => {
    mock.onMessage("long", { content: "And so", finishReason: "length" });
    const asked = askBothWays(client, { messages: [message("user", "long")] });
    expect(await asked).toMatchObject({ finishReason: "length", rawFinishReason: "MAX_TOKENS" });
  });

  test.each([
    [429, "rate_limit"],
    [503, "overloaded"],
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
