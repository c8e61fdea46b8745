import { describe, expect, it } from "vitest";
import { StreamClosedError } from "../errors/run-errors.js";
import type { Content } from "../messages/content.js";
import type { Update } from "../messages/update.js";
import { openStream } from "./response-stream.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const delta = (...contents: Content[]): Update => ({
  type: "delta",
  messageId: "m1",
  role: "assistant",
  contents,
});

/** Work that ends when its signal is aborted, and only then. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

describe("the text of a stream", () => {
  const content: Content[] = [
    { type: "text_reasoning", text: "thinking" },
    { type: "text", text: "Hel" },
    { type: "text", text: "" },
    { type: "function_call", callId: "c1", name: "f", argumentsText: "{" },
    { type: "text", text: "lo" },
  ];

  it("gives the assistant's text as strings and nothing else", async () => {
    const stream = openStream(async (push) => {
      await push(delta(...content));
      await push({
        type: "delta",
        messageId: "t1",
        role: "tool",
        contents: [{ type: "text", text: "secret" }],
      });
      await push({ type: "progress", callId: "c1", contents: [{ type: "text", text: "50 %" }] });
      await push(delta({ type: "text", text: "!" }));
      await push({ type: "finish", messageId: "m1", finishReason: "stop" });
    });
    const seen: string[] = [];
    for await (const piece of stream.text) seen.push(piece);
    expect(seen).toEqual(["Hel", "lo", "!"]);
  });

  it("left early aborts the work and waits for it", async () => {
    let settled = false;
    const stream = openStream(async (push, signal) => {
      await push(delta(...content));
      try {
        return await untilAborted(signal);
      } finally {
        await turn();
        settled = true;
      }
    });
    for await (const _ of stream.text) break;
    expect(settled).toBe(true);
    await expect(stream.response).rejects.toBeInstanceOf(StreamClosedError);
  });

  it("fails where the work does, after the text that came before", async () => {
    const stream = openStream(async (push) => {
      await push(delta(...content));
      throw new Error("broken");
    });
    const seen: string[] = [];
    const loop = async (): Promise<void> => {
      for await (const piece of stream.text) seen.push(piece);
    };
    await expect(loop()).rejects.toThrow("broken");
    expect(seen).toEqual(["Hel", "lo"]);
  });

  it("left before its first pull aborts the work", async () => {
    let signal: AbortSignal | undefined;
    const stream = openStream((_push, given) => {
      signal = given;
      return untilAborted(given);
    });
    await stream.text[Symbol.asyncIterator]().return?.();
    expect(signal?.aborted).toBe(true);
  });

  it("left while a pull waits aborts the work at once", async () => {
    let signal: AbortSignal | undefined;
    const stream = openStream((_push, given) => {
      signal = given;
      return untilAborted(given);
    });
    const pieces = stream.text[Symbol.asyncIterator]();
    const waiting = pieces.next();
    const left = pieces.return?.();
    expect(signal?.aborted).toBe(true);
    await left;
    expect(await waiting).toEqual({ value: undefined, done: true });
  });
});
