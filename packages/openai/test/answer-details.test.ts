import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OpenAIChatClient, toOpenAIMessages } from "../src/index.js";
import { chunk, completion, contentsOf, noticingRun, request, stream } from "./helpers.js";
import { type WireReply, WireServer } from "./wire-server.js";

let server: WireServer;
let client: OpenAIChatClient;

beforeAll(async () => {
  server = await WireServer.start();
  client = new OpenAIChatClient({ model: "test-model", baseURL: server.url });
});
afterAll(() => server.stop());

/** The same answer, streamed and whole. */
async function both(streamed: WireReply, whole: WireReply) {
  server.reply(streamed, whole);
  const run = noticingRun([]);
  return [
    await stream(client, { ...request(), run }),
    await client.getResponse({ ...request(), run }),
  ];
}

describe("usage", () => {
  it("counts sound and predictions, too", async () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 20,
      total_tokens: 30,
      prompt_tokens_details: { cached_tokens: 1, audio_tokens: 2, cache_write_tokens: 3 },
      completion_tokens_details: {
        reasoning_tokens: 4,
        audio_tokens: 5,
        accepted_prediction_tokens: 6,
        rejected_prediction_tokens: 7,
      },
    };
    const responses = await both(
      { chunks: [chunk({ content: "ok" }, "stop"), { choices: [], usage }] },
      { body: { ...completion({ content: "ok" }), usage } },
    );
    for (const response of responses) {
      expect(response.usage).toEqual({
        inputTokens: 10,
        outputTokens: 20,
        totalTokens: 30,
        cachedInputTokens: 1,
        cacheWriteInputTokens: 3,
        inputAudioTokens: 2,
        reasoningTokens: 4,
        outputAudioTokens: 5,
        acceptedPredictionTokens: 6,
        rejectedPredictionTokens: 7,
      });
    }
  });
});

describe("the word for an end", () => {
  it.each([
    ["stop", "stop"],
    ["eos", "stop"],
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["STOP", "stop"],
    ["length", "length"],
    ["max_tokens", "length"],
    ["model_length", "length"],
    ["MAX_TOKENS", "length"],
    ["tool_calls", "tool_calls"],
    ["function_call", "tool_calls"],
    ["tool_use", "tool_calls"],
    ["content_filter", "content_filter"],
    ["sensitive", "content_filter"],
    ["SAFETY", "content_filter"],
    ["insufficient_system_resource", "insufficient_system_resource"],
    ["network_error", "network_error"],
  ])("%s is %s, and is kept", async (word, finishReason) => {
    const responses = await both(
      { chunks: [chunk({ content: "ok" }), chunk({}, word)] },
      { body: completion({ content: "ok" }, word) },
    );
    for (const response of responses) {
      expect(response).toMatchObject({ finishReason, rawFinishReason: word });
    }
  });

  it("of a token limit is known under every name", async () => {
    const fragment = { index: 0, id: "z1", function: { name: "wipe", arguments: "" } };
    server.reply({ chunks: [chunk({ tool_calls: [fragment] }), chunk({}, "max_tokens")] });
    expect(contentsOf(await stream(client, request()))).toMatchObject([
      { parseError: expect.stringContaining("limit") },
    ]);
  });
});

describe("what the service says beside its answer", () => {
  it("is its id of the request and its rate limits", async () => {
    const headers = {
      "x-request-id": "req_7",
      "x-ratelimit-limit-tokens": "1000",
      "x-ratelimit-remaining-tokens": "900",
      "x-ratelimit-reset-tokens": "2s",
    };
    const responses = await both(
      { chunks: [chunk({ content: "ok" }, "stop")], headers },
      { body: completion({ content: "ok" }), headers },
    );
    for (const { metadata } of responses) {
      expect(metadata).toEqual({
        requestId: "req_7",
        rateLimits: { tokens: { limit: 1000, remaining: 900, resetAt: 2000 } },
      });
    }
  });

  it("is nothing where there is nothing", async () => {
    server.reply({ body: completion({ content: "ok" }) });
    expect(await client.getResponse(request())).not.toHaveProperty("metadata");
  });
});

it("citations are kept with the answer, and are nothing that goes back", async () => {
  const annotations = [
    {
      type: "url_citation",
      url_citation: { start_index: 0, end_index: 2, url: "https://example.com", title: "T" },
    },
  ];
  const responses = await both(
    { chunks: [chunk({ content: "ok" }), chunk({ annotations }), chunk({}, "stop")] },
    { body: completion({ content: "ok", annotations }) },
  );
  for (const response of responses) {
    expect(contentsOf(response)).toEqual([
      { type: "text", text: "ok" },
      { type: "text", text: "", providerData: { openai: { annotations } } },
    ]);
    expect(toOpenAIMessages(response.messages)).toEqual([{ role: "assistant", content: "ok" }]);
  }
});

it("a refusal that comes in pieces of content is one", async () => {
  const part = (refusal: string) => chunk({ content: [{ type: "refusal", refusal }] });
  const responses = await both(
    { chunks: [part("I "), part("cannot."), chunk({}, "stop")] },
    { body: completion({ content: [{ type: "refusal", refusal: "I cannot." }] }) },
  );
  for (const response of responses) {
    expect(contentsOf(response)).toEqual([
      { type: "error", code: "refusal", message: "I cannot." },
    ]);
  }
});
