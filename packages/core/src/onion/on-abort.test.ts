import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { onAbort } from "./on-abort.js";

it("calls all back who wait, behind one listener, and those no more who have stopped", () => {
  const controller = new AbortController();
  const listeners = () => getEventListeners(controller.signal, "abort").length;
  const called: number[] = [];
  const stops = Array.from({ length: 20 }, (_, at) =>
    onAbort(controller.signal, () => called.push(at)),
  );
  expect(listeners()).toBe(1);
  for (const stop of stops.slice(2)) stop();
  controller.abort();
  expect(called).toEqual([0, 1]);
  for (const stop of stops) stop();
  expect(listeners()).toBe(0);
});

it("leaves nothing behind, and begins anew", () => {
  const { signal } = new AbortController();
  for (let round = 0; round < 3; round++) {
    const stop = onAbort(signal, () => {});
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    stop();
    stop();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  }
});

it("calls back at once where the signal has fired", () => {
  let called = 0;
  onAbort(AbortSignal.abort(), () => called++)();
  expect(called).toBe(1);
});

it("lets one who is called back stop another", () => {
  const controller = new AbortController();
  let called = 0;
  const stops: (() => void)[] = [];
  for (let at = 0; at < 2; at++) {
    stops.push(
      onAbort(controller.signal, () => {
        called++;
        for (const stop of stops) stop();
      }),
    );
  }
  controller.abort();
  expect(called).toBe(1);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});
