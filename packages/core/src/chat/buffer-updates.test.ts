import { describe, expect, it } from "vitest";
import type { Content } from "../messages/content.js";
import { foldUpdates } from "../messages/fold-updates.js";
import type { Update } from "../messages/update.js";
import { type BufferVerdict, bufferUpdates } from "./buffer-updates.js";
import { TransformStage } from "./transforms.js";

const of = (...contents: Content[]): Update => ({
  type: "delta",
  messageId: "m",
  role: "assistant",
  contents,
});
const text = (value: string): Content => ({ type: "text", text: value });
const call: Content = { type: "function_call", callId: "c", name: "f", arguments: {} };
const reasoning: Content = { type: "text_reasoning", text: "hm" };

async function buffered(verdict: BufferVerdict | Promise<BufferVerdict>) {
  const sent: Update[] = [];
  const asked: unknown[] = [];
  const factory = bufferUpdates((message, whole) => {
    asked.push([message.contents, whole]);
    return verdict;
  });
  const stage = new TransformStage([factory], (update) => void sent.push(update));
  for (const piece of [reasoning, text("a se"), text("cret"), call]) await stage.feed(of(piece));
  const early = sent.length;
  const { messages } = await stage.finish({ messages: [] }, true);
  expect(foldUpdates(sent).messages).toEqual(messages);
  return { contents: messages.flatMap((each) => each.contents), early, asked };
}

describe("bufferUpdates", () => {
  it("asks once, with the whole message, and lets nothing out before", async () => {
    const { asked, early } = await buffered(true);
    expect(asked).toEqual([[[reasoning, text("a secret"), call], "a secret"]]);
    expect(early).toBe(0);
  });

  it("true lets everything through as it came", async () => {
    expect((await buffered(true)).contents).toEqual([reasoning, text("a secret"), call]);
    expect((await buffered(Promise.resolve(true))).contents).toHaveLength(3);
  });

  it("false withholds everything but calls", async () => {
    expect((await buffered(false)).contents).toEqual([call]);
  });

  it("a string takes the place of what was said", async () => {
    expect((await buffered("[withheld]")).contents).toEqual([text("[withheld]"), call]);
  });

  it("a verdict that fails lets nothing through", async () => {
    await expect(buffered(Promise.reject(new Error("no idea")))).rejects.toThrow("no idea");
  });

  it("judges each message by itself", async () => {
    const sent: Update[] = [];
    const factory = bufferUpdates((_message, whole) => whole !== "bad");
    const stage = new TransformStage([factory], (update) => void sent.push(update));
    for (const [messageId, value] of [
      ["1", "good"],
      ["2", "bad"],
      ["3", "fine"],
    ] as const) {
      await stage.feed({ ...of(text(value)), messageId } as Update);
    }
    const { messages } = await stage.finish({ messages: [] }, true);
    expect(messages.map((each) => each.id)).toEqual(["1", "3"]);
  });
});
