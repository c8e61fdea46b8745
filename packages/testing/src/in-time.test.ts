import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { inTime } from "./in-time.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("gives what settles in time, and leaves no timer behind", async () => {
  const error = new Error("no");
  await expect(inTime(Promise.resolve(1), () => "late")).resolves.toBe(1);
  await expect(inTime(Promise.reject(error), () => "late")).rejects.toBe(error);
  expect(vi.getTimerCount()).toBe(0);
});

it("rejects with the hint when nothing comes, before a test of five seconds is over", async () => {
  const waiting = expect(inTime(new Promise(() => {}), () => "begin!")).rejects.toThrow("begin!");
  await vi.advanceTimersByTimeAsync(4000);
  await waiting;
});
