import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { withAbort } from "./with-abort.js";

const never = new Promise<never>(() => {});

it("rejects with the caller's own reason at once, whatever the work does", async () => {
  const caller = new AbortController();
  let given: AbortSignal | undefined;
  const work = withAbort(caller.signal, (signal) => {
    given = signal;
    return never;
  });
  const reason = { why: "enough" };
  caller.abort(reason);
  await expect(work).rejects.toBe(reason);
  expect(given).not.toBe(caller.signal);
  expect([given?.aborted, given?.reason]).toEqual([true, reason]);
  expect(getEventListeners(caller.signal, "abort")).toEqual([]);
});

it("starts nothing under a signal that is aborted already", async () => {
  let started = false;
  const work = withAbort(AbortSignal.abort("late"), async () => {
    started = true;
  });
  await expect(work).rejects.toBe("late");
  expect(started).toBe(false);
});

it.each<[string, () => Promise<number>]>([
  ["ends", async () => 1],
  ["fails", () => Promise.reject(new Error("broken"))],
  [
    "throws at once",
    () => {
      throw new Error("broken");
    },
  ],
])("settles as the work does that %s, and leaves no listener", async (_, work) => {
  const { signal } = new AbortController();
  const alone = await Promise.allSettled([withAbort(undefined, work)]);
  expect(await Promise.allSettled([withAbort(signal, work)])).toEqual(alone);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
