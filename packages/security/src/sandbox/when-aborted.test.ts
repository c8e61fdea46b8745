import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { processSandbox } from "./process-sandbox.js";
import { whenAborted } from "./when-aborted.js";

describe("whenAborted", () => {
  it("calls back all who wait, and holds one listener for them", () => {
    const control = new AbortController();
    const called: number[] = [];
    const back = Array.from({ length: 13 }, (_, at) =>
      whenAborted(control.signal, () => called.push(at)),
    );
    expect(getEventListeners(control.signal, "abort")).toHaveLength(1);
    back[1]?.();
    control.abort();
    expect(called).toEqual([0, ...Array.from({ length: 11 }, (_, at) => at + 2)]);
    expect(getEventListeners(control.signal, "abort")).toHaveLength(0);
  });

  it("leaves nothing behind when nobody waits any more, and begins anew", () => {
    const control = new AbortController();
    let called = 0;
    whenAborted(control.signal, () => called++)();
    expect(getEventListeners(control.signal, "abort")).toHaveLength(0);
    whenAborted(control.signal, () => called++);
    control.abort();
    expect(called).toBe(1);
  });
});

it("many processes under one signal have one listener, and none when they have ended", async () => {
  const { signal } = new AbortController();
  const command = { program: process.execPath, args: ["-e", ""], timeoutMs: 60_000, signal };
  const most: number[] = [];
  const running = Array.from({ length: 12 }, async () => {
    const run = processSandbox().run(command);
    await run;
    most.push(getEventListeners(signal, "abort").length);
  });
  await Promise.all(running);
  expect(Math.max(...most)).toBeLessThanOrEqual(1);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
