import { describe, expect, it } from "vitest";
import { foldUpdates } from "../messages/fold-updates.js";
import type { Update } from "../messages/update.js";
import type { RunEnvironment } from "../run/environment.js";
import { Run } from "../run/run.js";
import type { ChatRequest, ChatResponse } from "./chat-client.js";
import { ResponseBuilder } from "./response-builder.js";

const environment: RunEnvironment = {
  now: () => 1234,
  setTimer: () => () => {},
  randomId: () => "abc",
};
const requestOf = (rest: Partial<ChatRequest> = {}): ChatRequest => ({
  messages: [],
  options: {},
  run: new Run({ environment }),
  ...rest,
});

/** One answer as a chat client would build it, in pieces. */
async function answer(request: ChatRequest): Promise<ChatResponse> {
  const builder = new ResponseBuilder(request);
  await builder.add({ type: "text", text: "Let me " });
  await builder.add({ type: "text", text: "see." });
  const callId = builder.callId("vendor-1");
  await builder.add({ type: "function_call", callId, name: "lamp", argumentsText: "" });
  await builder.add({ type: "function_call", callId, name: "", argumentsText: '{"on":' });
  await builder.add({ type: "function_call", callId, name: "", argumentsText: "true}" });
  return builder.finish({
    finishReason: "tool_calls",
    usage: { inputTokens: 5, outputTokens: 7 },
    responseId: "r1",
    conversationId: "conv1",
    model: "model-1",
  });
}

describe("ResponseBuilder", () => {
  it("puts the pieces together, with id and time from the run", async () => {
    expect(await answer(requestOf())).toEqual({
      messages: [
        {
          id: "message_abc_1",
          role: "assistant",
          createdAt: 1234,
          contents: [
            { type: "text", text: "Let me see." },
            { type: "function_call", callId: "vendor-1", name: "lamp", arguments: { on: true } },
          ],
        },
      ],
      finishReason: "tool_calls",
      usage: { inputTokens: 5, outputTokens: 7 },
      responseId: "r1",
      conversationId: "conv1",
      model: "model-1",
    });
  });

  it("streams what it answers, and answers the same without a stream", async () => {
    const updates: Update[] = [];
    const streamed = await answer(requestOf({ onUpdate: (update) => void updates.push(update) }));
    expect(streamed).toEqual(await answer(requestOf()));
    const fold = foldUpdates(updates);
    expect(fold.messages).toEqual(streamed.messages);
    expect(fold.usage).toEqual(streamed.usage);
    expect([fold.finishReason, fold.responseId]).toEqual(["tool_calls", "r1"]);
  });

  it("sends each piece at once, the time with the first only, and keeps its extras off the wire", async () => {
    const updates: Update[] = [];
    await answer(requestOf({ onUpdate: (update) => void updates.push(update) }));
    expect(updates.map(({ type }) => type)).toEqual([...new Array(5).fill("delta"), "finish"]);
    expect(updates.map((update) => "createdAt" in update)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(updates.at(-1)).toEqual({
      type: "finish",
      messageId: "message_abc_1",
      finishReason: "tool_calls",
      usage: { inputTokens: 5, outputTokens: 7 },
      responseId: "r1",
    });
  });

  it("hands on the consumer's back-pressure, and waits for it at the end", async () => {
    let open = (): void => {};
    const room = new Promise<void>((resolve) => (open = resolve));
    const builder = new ResponseBuilder(requestOf({ onUpdate: () => room }));
    expect(builder.add({ type: "text", text: "a" })).toBe(room);
    let finished = false;
    const response = builder.finish().then((value) => {
      finished = true;
      return value;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(finished).toBe(false);
    open();
    expect((await response).messages).toHaveLength(1);
  });

  it("costs no promise where the consumer gives none", () => {
    const builder = new ResponseBuilder(requestOf({ onUpdate: () => {} }));
    expect(builder.add({ type: "text", text: "a" })).toBeUndefined();
    expect(new ResponseBuilder(requestOf()).add()).toBeUndefined();
  });

  it("makes of an answer without contents an empty message, streamed too", async () => {
    const updates: Update[] = [];
    const builder = new ResponseBuilder(
      requestOf({ onUpdate: (update) => void updates.push(update) }),
    );
    const response = await builder.finish();
    expect(response).toEqual({
      messages: [{ id: "message_abc_1", role: "assistant", contents: [], createdAt: 1234 }],
    });
    expect(foldUpdates(updates).messages).toEqual(response.messages);
  });

  it("answers arguments that do not parse with the reason, in stream and response alike", async () => {
    const updates: Update[] = [];
    const builder = new ResponseBuilder(
      requestOf({ onUpdate: (update) => void updates.push(update) }),
    );
    await builder.add({
      type: "function_call",
      callId: "c1",
      name: "lamp",
      argumentsText: '{"on"',
    });
    const { messages } = await builder.finish();
    expect(messages[0]?.contents).toMatchObject([
      { argumentsText: '{"on"', parseError: expect.stringContaining("JSON") },
    ]);
    expect(foldUpdates(updates).messages).toEqual(messages);
  });

  it("takes the vendor's call id once, and makes one where it is missing or was used", () => {
    const builder = new ResponseBuilder(requestOf());
    const ids = ["c1", "c1", "", null, undefined, "c2"].map((id) => builder.callId(id));
    expect(ids).toEqual(["c1", "call_abc_2", "call_abc_3", "call_abc_4", "call_abc_5", "c2"]);
  });

  it("shows what has come in so far, and what comes later does not change that", async () => {
    const builder = new ResponseBuilder(requestOf());
    expect(builder.message).toMatchObject({ id: builder.messageId, contents: [] });
    await builder.add({ type: "text", text: "one" });
    const before = builder.message;
    await builder.add({ type: "text", text: " two" });
    expect(before.contents).toEqual([{ type: "text", text: "one" }]);
    expect(builder.message.contents).toEqual([{ type: "text", text: "one two" }]);
  });

  it("leaves out of the end what is written as undefined", async () => {
    const builder = new ResponseBuilder(requestOf());
    const response = await builder.finish({
      finishReason: "stop",
      usage: undefined,
      responseId: undefined,
      conversationId: undefined,
      model: undefined,
    });
    expect(Object.keys(response)).toEqual(["messages", "finishReason"]);
  });

  it("makes ids of its own where the request has no run", async () => {
    const builders = [
      new ResponseBuilder({ messages: [], options: {} }),
      new ResponseBuilder({ messages: [], options: {} }),
    ];
    expect(new Set(builders.map(({ messageId }) => messageId)).size).toBe(2);
  });
});
