import type Anthropic from "@anthropic-ai/sdk";
import { type ChatRequest, foldUpdates, type Update } from "@tunic/core";
import { describe, expect, test } from "vitest";
import { AnthropicChatClient, toAnthropicMessages } from "../src/index.js";
import { answer, message, stored } from "./build.js";
import { found, search, searching, text } from "./hosted.js";
import { cut, either, type WireServer, wireServer } from "./wire-server.js";

const at = ({ url }: WireServer, more: object = {}) =>
  new AnthropicChatClient({ model: "claude-opus-4-8", apiKey: "key", baseURL: url, ...more });
const ask = (over: Partial<ChatRequest> = {}): ChatRequest => ({
  messages: [message("user", "What is a tunic?")],
  options: { tools: [search] },
  ...over,
});
const counted = (output_tokens: number) => ({
  usage: {
    input_tokens: 10,
    output_tokens,
    server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
  },
});
const paused = answer([text("I look. "), searching("s1")], "pause_turn", counted(4));
const again = answer([found("s1"), text("One more. "), searching("s2")], "pause_turn", counted(5));
const done = answer([found("s2"), text("A garment.")], "end_turn", { ...counted(6), id: "msg_3" });

describe.each([
  { manner: "whole", streams: false },
  { manner: "streamed", streams: true },
])("an answer that the service pauses, $manner", ({ streams }) => {
  async function asked(client: AnthropicChatClient, over: Partial<ChatRequest> = {}) {
    const updates: Update[] = [];
    const onUpdate = (update: Update): void => void updates.push(update);
    const response = await client.getResponse(ask({ ...over, ...(streams && { onUpdate }) }));
    if (streams) {
      expect(foldUpdates(updates).messages).toEqual(response.messages);
      expect(updates.filter(({ type }) => type === "finish")).toHaveLength(1);
    }
    return response;
  }

  test("goes on, and comes out as one message with the usage of all of it", async () => {
    await using server = await wireServer(either(paused), either(again), either(done));
    const response = await asked(at(server));
    expect(response).toMatchObject({
      finishReason: "stop",
      rawFinishReason: "end_turn",
      responseId: "msg_3",
      usage: { inputTokens: 30, outputTokens: 15, totalTokens: 45, webSearchRequests: 3 },
    });
    expect(response.messages).toHaveLength(1);
    expect(response.messages[0]?.contents.map(({ type }) => type)).toEqual([
      "text",
      "hosted_tool_call",
      "hosted_tool_result",
      "text",
      "hosted_tool_call",
      "hosted_tool_result",
      "text",
    ]);
    const sent = server.bodies.map(({ messages }) => messages as Anthropic.MessageParam[]);
    expect(sent.map((messages) => messages.length)).toEqual([1, 2, 2]);
    expect(sent[1]?.[1]).toEqual({ role: "assistant", content: paused.content });
    expect(sent[2]?.[1]).toEqual({
      role: "assistant",
      content: [...paused.content, ...again.content],
    });
    // What is sent later is what was sent while it was being made.
    const later = toAnthropicMessages(stored([message("user", "x"), ...response.messages]));
    expect(later.messages[1]?.content).toEqual([
      ...paused.content,
      ...again.content,
      ...done.content,
    ]);
  });

  test("stops at the limit, and says so; the caller may go on", async () => {
    await using server = await wireServer(either(paused), either(again), either(done));
    const client = at(server, { maxContinuations: 1 });
    const response = await asked(client);
    expect(response).toMatchObject({ finishReason: "pause_turn", rawFinishReason: "pause_turn" });
    expect(server.bodies).toHaveLength(2);
    const rest = await asked(client, {
      messages: [message("user", "What is a tunic?"), ...stored(response.messages)],
    });
    expect(rest.messages[0]?.contents).toMatchObject([
      { type: "hosted_tool_result", callId: "s2" },
      { text: "A garment." },
    ]);
    expect(server.bodies[2]?.["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [...paused.content, ...again.content] },
    ]);
  });

  test("is left to the caller with a limit of 0", async () => {
    await using server = await wireServer(either(paused));
    const response = await asked(at(server, { maxContinuations: 0 }));
    expect(response.finishReason).toBe("pause_turn");
    expect(server.bodies).toHaveLength(1);
  });

  test("goes on after what it had begun when a conversation ends with the assistant", async () => {
    await using server = await wireServer(either(again), either(done));
    const begun = {
      type: "hosted_tool_call" as const,
      callId: "s1",
      name: "web_search",
      input: { query: "s1" },
      providerData: { anthropic: { type: "server_tool_use" } },
    };
    await asked(at(server), { messages: [message("user", "go"), message("assistant", begun)] });
    expect(server.bodies[1]?.["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [searching("s1"), ...again.content] },
    ]);
  });

  test("is not asked again when nothing has come", async () => {
    await using server = await wireServer(either(answer([], "pause_turn")));
    expect((await asked(at(server))).finishReason).toBe("pause_turn");
    expect(server.bodies).toHaveLength(1);
  });

  test("breaks as a whole where going on breaks", async () => {
    await using server = await wireServer(either(paused), cut("event: ping\ndata: {}\n\n"));
    await expect(asked(at(server))).rejects.toMatchObject({ retryable: true });
  });
});

test("an abort between two answers ends it, and nothing more is asked", async () => {
  const controller = new AbortController();
  await using server = await wireServer(async (response, body) => {
    await either(paused)(response, body);
    controller.abort("enough");
  });
  const client = at(server);
  await expect(client.getResponse(ask({ signal: controller.signal }))).rejects.toBe("enough");
  expect(server.bodies).toHaveLength(1);
});
