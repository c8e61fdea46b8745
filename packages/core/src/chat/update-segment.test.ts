import { describe, expect, it } from "vitest";
import type { Update } from "../messages/update.js";
import { openSegment, PassedMessages } from "./update-segment.js";

const delta = (messageId: string): Update => ({
  type: "delta",
  messageId,
  role: "assistant",
  contents: [],
});

describe("PassedMessages", () => {
  it("knows which messages began after a mark", () => {
    const passed = new PassedMessages();
    passed.note(delta("a"));
    const mark = passed.mark();
    passed.note(delta("a"));
    passed.note(delta("b"));
    passed.note(delta("a"));
    passed.note(delta("c"));
    expect(passed.since(mark)).toEqual(["b", "c"]);
    expect(passed.since(0)).toEqual(["a", "b", "c"]);
    expect(passed.since(passed.mark())).toEqual([]);
  });

  it("forgets what was taken back; sent again, it begins anew", () => {
    const passed = new PassedMessages();
    passed.note(delta("a"));
    passed.note(delta("b"));
    passed.note({ type: "retract", messageIds: ["a", "b", "never sent"] });
    expect(passed.since(0)).toEqual([]);
    const mark = passed.mark();
    passed.note(delta("b"));
    expect(passed.since(mark)).toEqual(["b"]);
  });

  it("takes a message for begun with its first delta, not with its end or with progress", () => {
    const passed = new PassedMessages();
    passed.note({ type: "finish", messageId: "a" });
    passed.note({ type: "progress", callId: "c" });
    expect(passed.since(0)).toEqual([]);
  });
});

describe("openSegment", () => {
  it("sends everything on, hands back the consumer's promise, and notes before it sends", async () => {
    const sent: Update[] = [];
    const room = Promise.resolve();
    const segment = openSegment((update) => {
      sent.push(update);
      expect(segment.since(0)).toEqual(["a"]);
      return room;
    });
    expect(segment.emit(delta("a"))).toBe(room);
    expect(sent).toEqual([delta("a")]);
  });
});
