import { describe, expect, it } from "vitest";
import type { Content } from "../messages/content.js";
import { foldUpdates } from "../messages/fold-updates.js";
import type { Update } from "../messages/update.js";
import { type Transform, type TransformFactory, TransformStage } from "./transforms.js";

const delta = (text: string, messageId = "m"): Update => ({
  type: "delta",
  messageId,
  role: "assistant",
  contents: [{ type: "text", text }],
  createdAt: 1,
});
const of = (...contents: Content[]): Update => ({
  type: "delta",
  messageId: "m",
  role: "assistant",
  contents,
  createdAt: 1,
});
const call: Content = { type: "function_call", callId: "c", name: "f", arguments: {} };
const response = (text: string) => ({
  messages: [
    {
      id: "m",
      role: "assistant" as const,
      contents: [{ type: "text" as const, text }],
      createdAt: 1,
    },
  ],
});

const marking =
  (mark: string): TransformFactory =>
  () => ({
    update: (update, emit) =>
      emit({
        ...update,
        contents: update.contents.map((content) =>
          content.type === "text" ? { ...content, text: content.text + mark } : content,
        ),
      }),
  });

/** A stage, what came out of it, and its end. */
function stageOf(...factories: TransformFactory[]) {
  const sent: Update[] = [];
  const stage = new TransformStage(factories, (update) => void sent.push(update));
  return { stage, sent, texts: () => foldUpdates(sent).messages.map((each) => each.contents) };
}

describe("TransformStage", () => {
  it("the last registered transform is the innermost: it sees an update first", async () => {
    const { stage, texts } = stageOf(marking("a"), marking("b"));
    await stage.feed(delta("x"));
    await stage.finish(response("x"), true);
    expect(texts()).toEqual([[{ type: "text", text: "xba" }]]);
  });

  it("makes one transform per message, and a new one after a retraction", async () => {
    let made = 0;
    const { stage, sent } = stageOf(() => {
      const mine = ++made;
      return marking(`#${mine}`)();
    });
    await stage.feed(delta("x", "one"));
    await stage.feed(delta("y", "two"));
    await stage.feed(delta("z", "one"));
    await stage.feed({ type: "retract", messageIds: ["one"] });
    await stage.feed(delta("again", "one"));
    expect(made).toBe(3);
    expect(sent).toContainEqual({ type: "retract", messageIds: ["one"] });
    expect(
      sent.map((update) =>
        update.type === "delta" ? JSON.stringify(update.contents) : update.type,
      ),
    ).toEqual([
      '[{"type":"text","text":"x#1"}]',
      '[{"type":"text","text":"y#2"}]',
      '[{"type":"text","text":"z#1"}]',
      "retract",
      '[{"type":"text","text":"again#3"}]',
    ]);
  });

  it("the response is the fold of what was let through, streamed or not", async () => {
    for (const streamed of [true, false]) {
      const { stage, sent } = stageOf(marking("!"));
      if (streamed) await stage.feed(delta("x"));
      const { messages } = await stage.finish(response("x"), streamed);
      expect(messages.map((each) => each.contents)).toEqual([[{ type: "text", text: "x!" }]]);
      expect(foldUpdates(sent).messages).toEqual(messages);
    }
  });

  it("calls pass as they are, dropped or changed by a transform or not, once and in the end", async () => {
    const dropping: TransformFactory = () => ({ update: () => {} });
    const changing: TransformFactory = () => ({
      update: (update, emit) =>
        emit({
          ...update,
          contents: update.contents.map((each) => ({ ...each, name: "g" })) as Content[],
        }),
    });
    const doubling: TransformFactory = () => ({
      async update(update, emit) {
        await emit(update);
        await emit(update);
      },
    });
    for (const factory of [dropping, changing, doubling]) {
      const { stage, texts } = stageOf(factory);
      await stage.feed(of(call));
      await stage.finish({ messages: [] }, true);
      expect(texts()).toEqual([[call]]);
    }
  });

  it("a transform cannot add a call of its own", async () => {
    const forging: TransformFactory = () => ({
      update: (update, emit) => emit({ ...update, contents: [...update.contents, call] }),
    });
    const { stage, texts } = stageOf(forging);
    await stage.feed(delta("x"));
    await stage.finish(response("x"), true);
    expect(texts()).toEqual([[{ type: "text", text: "x" }]]);
  });

  it("what a transform holds back at the end goes through those further out", async () => {
    const holding: TransformFactory = () => {
      let held: Parameters<Transform["update"]>[0] | undefined;
      return {
        update: (update) => {
          held = update;
        },
        end: (emit) => held && emit(held),
      };
    };
    const { stage, texts } = stageOf(marking("a"), holding, marking("b"));
    await stage.feed(delta("x"));
    expect(texts()).toEqual([]);
    await stage.finish(response("x"), true);
    expect(texts()).toEqual([[{ type: "text", text: "xba" }]]);
  });

  it("what is held back of a message comes before its end", async () => {
    let held: Parameters<Transform["update"]>[0] | undefined;
    const { stage, sent } = stageOf(() => ({
      update: (update) => {
        held = update;
      },
      end: (emit) => held && emit(held),
    }));
    await stage.feed(delta("x"));
    await stage.feed({ type: "finish", messageId: "m", finishReason: "stop" });
    expect(sent.map((update) => update.type)).toEqual(["delta", "finish"]);
    await stage.finish(response("x"), true);
    expect(sent).toHaveLength(2);
  });

  it("a message of which nothing is let through has no end either", async () => {
    const { stage, sent } = stageOf(() => ({ update: () => {} }));
    await stage.feed(delta("x"));
    await stage.feed({ type: "finish", messageId: "m", finishReason: "stop" });
    const { messages } = await stage.finish(response("x"), true);
    expect([sent, messages]).toEqual([[], []]);
  });

  it("retracts only what it has let out, and drops what it holds of it", async () => {
    const { stage, sent } = stageOf(() => ({ update: () => {} }));
    await stage.feed(delta("x"));
    await stage.feed({ type: "retract", messageIds: ["m"] });
    await stage.finish({ messages: [] }, true);
    expect(sent).toEqual([]);
  });

  it("takes updates one after the other, however they are pushed", async () => {
    const order: string[] = [];
    const slow: TransformFactory = () => ({
      async update(update, emit) {
        const [content] = update.contents;
        const text = content?.type === "text" ? content.text : "";
        order.push(`> ${text}`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`< ${text}`);
        await emit(update);
      },
    });
    const { stage, texts } = stageOf(slow);
    await Promise.all([stage.feed(delta("a")), stage.feed(delta("b")), stage.feed(delta("c"))]);
    expect(order).toEqual(["> a", "< a", "> b", "< b", "> c", "< c"]);
    expect(texts()).toEqual([[{ type: "text", text: "abc" }]]);
  });

  it("waits for the consumer, and lets progress pass", async () => {
    const sent: Update[] = [];
    let open = (): void => {};
    const stage = new TransformStage([marking("!")], (update) => {
      sent.push(update);
      return new Promise((resolve) => {
        open = resolve;
      });
    });
    let done = false;
    const fed = Promise.resolve(stage.feed({ type: "progress", callId: "c" })).then(() => {
      done = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([done, sent.length]).toEqual([false, 1]);
    open();
    await fed;
    expect(done).toBe(true);
  });

  it("a transform that throws fails the pass", async () => {
    const { stage } = stageOf(() => ({
      update: () => {
        throw new Error("broken transform");
      },
    }));
    await expect(stage.finish(response("x"), false)).rejects.toThrow("broken transform");
  });
});
