import {
  Agent,
  type ChatClient,
  type ChatRequest,
  type ChatResponse,
  type Content,
  checkHistory,
  foldUpdates,
  type Message,
  tool,
  type Update,
} from "@tunic/core";
import { manualEnvironment } from "@tunic/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

/** One answer of a chat client that was written by hand, without much care. */
interface CarelessAnswer {
  readonly messages: readonly { readonly id: string; readonly contents: readonly Content[] }[];
  /** What it does about its stream. */
  readonly streams:
    | "nothing"
    | "everything"
    | "without finish"
    | "something else"
    | "other contents"
    | "only the first";
  readonly withIds: boolean;
  readonly withTimes: boolean;
  readonly usage: boolean;
}

const content: fc.Arbitrary<Content> = fc.oneof(
  fc.constantFrom<Content>(
    { type: "text", text: "one " },
    { type: "text", text: "two" },
    { type: "text", text: "" },
    { type: "text_reasoning", text: "hm" },
    { type: "text_reasoning", text: "block", id: "b1" },
    { type: "uri", uri: "https://example.com/a.png", mediaType: "image/png" },
  ),
  fc.record({
    type: fc.constant("function_call" as const),
    callId: fc.constantFrom("c1", "c2", "c1_2", ""),
    name: fc.constantFrom("work", "nobody"),
    arguments: fc.constant({ n: 1 }),
  }),
);

const answers: fc.Arbitrary<CarelessAnswer[]> = fc.array(
  fc.record({
    messages: fc.array(
      fc.record({
        id: fc.constantFrom("m1", "m2", "m3"),
        contents: fc.array(content, { maxLength: 4 }),
      }),
      { maxLength: 3 },
    ),
    streams: fc.constantFrom(
      "nothing",
      "everything",
      "without finish",
      "something else",
      "other contents",
      "only the first",
    ),
    withIds: fc.boolean(),
    withTimes: fc.boolean(),
    usage: fc.boolean(),
  }),
  { maxLength: 4 },
);

class CarelessClient implements ChatClient {
  readonly metadata = { provider: "careless" };
  readonly #answers: readonly CarelessAnswer[];
  #round = 0;

  constructor(list: readonly CarelessAnswer[]) {
    this.#answers = list;
  }

  async getResponse(request: ChatRequest): Promise<ChatResponse> {
    const answer = this.#answers[this.#round++];
    if (!answer)
      return {
        messages: [written({ id: "m9", contents: [{ type: "text", text: "end" }] }, true, true)],
      };
    const messages = answer.messages.map((message) =>
      written(message, answer.withIds, answer.withTimes),
    );
    await stream(answer, messages, request);
    return { messages, ...(answer.usage && { usage: { totalTokens: 3 } }) };
  }
}

/** A message as somebody writes it who leaves out what the types ask for. */
function written(
  message: { readonly id: string; readonly contents: readonly Content[] },
  withId: boolean,
  withTime: boolean,
): Message {
  const { id, contents } = message;
  const given = {
    role: "assistant",
    contents,
    ...(withId && { id }),
    ...(withTime && { createdAt: 5 }),
  };
  return given as unknown as Message;
}

async function stream(
  answer: CarelessAnswer,
  messages: readonly Message[],
  request: ChatRequest,
): Promise<void> {
  if (answer.streams === "nothing" || !request.onUpdate) return;
  const sent = answer.streams === "only the first" ? messages.slice(0, 1) : messages;
  for (const message of sent) {
    const messageId =
      answer.streams === "something else" ? `${message.id}x` : (message.id ?? "none");
    const parts =
      answer.streams === "other contents" ? message.contents.slice(1) : message.contents;
    for (const part of parts) {
      await request.onUpdate({ type: "delta", messageId, role: "assistant", contents: [part] });
    }
    if (answer.streams === "everything") {
      await request.onUpdate({
        type: "finish",
        messageId,
        ...(answer.usage && message === messages.at(-1) && { usage: { totalTokens: 3 } }),
      });
    }
  }
}

async function observe(list: readonly CarelessAnswer[], streamed: boolean) {
  const updates: Update[] = [];
  const agent = new Agent({
    client: new CarelessClient(list),
    environment: manualEnvironment(),
    tools: [tool({ name: "work", execute: () => "ok" })],
  });
  const onUpdate = (update: Update): void => {
    updates.push(update);
  };
  const response = await agent.run("go", streamed ? { onUpdate } : {});
  return { response, updates };
}

describe("a chat client that was written without much care", () => {
  it("still streams what it answers: the consumer's fold is the response, and the log is valid", async () => {
    await fc.assert(
      fc.asyncProperty(answers, async (list) => {
        const { response, updates } = await observe(list, true);
        const fold = foldUpdates(updates);
        expect(fold.messages).toEqual(response.messages);
        expect(fold.usage).toEqual(response.usage);
        expect(checkHistory(response.newMessages)).toEqual([]);
        expect(new Set(response.newMessages.map((message) => message.id)).size).toBe(
          response.newMessages.length,
        );
      }),
      { numRuns: 2000 },
    );
  });

  it("says the same streamed and not", async () => {
    const said = (messages: readonly Message[]): unknown =>
      messages.map(({ role, contents }) => ({ role, contents: contents.map(withoutIds) }));
    await fc.assert(
      fc.asyncProperty(answers, async (list) => {
        const streamed = await observe(list, true);
        const whole = await observe(list, false);
        expect(said(streamed.response.messages)).toEqual(said(whole.response.messages));
      }),
      { numRuns: 1000 },
    );
  });
});

/** Ids that a careless client left out are made in another order when it streams. */
function withoutIds(each: Content): unknown {
  return "callId" in each ? { ...each, callId: undefined, providerData: undefined } : each;
}
