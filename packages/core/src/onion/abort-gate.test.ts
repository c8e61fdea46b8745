import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AbortGate } from "./abort-gate.js";

const never = new Promise<never>(() => {});
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

/** What nobody handled while `work` went on and in the turns after it. */
async function unhandledDuring(work: () => unknown): Promise<unknown[]> {
  const seen: unknown[] = [];
  const listen = (reason: unknown): void => void seen.push(reason);
  process.on("unhandledRejection", listen);
  try {
    await work();
    await turn();
    await turn();
  } finally {
    process.off("unhandledRejection", listen);
  }
  return seen;
}

describe("work behind the gate", () => {
  it("settles as it would without one", async () => {
    const gate = new AbortGate();
    expect(await gate.pass(Promise.resolve(1))).toBe(1);
    await expect(gate.pass(Promise.reject(new Error("own")))).rejects.toThrow("own");
  });

  it("is let go in the microtask after the abort, with the reason, though it never settles", async () => {
    const gate = new AbortGate();
    const reason = new Error("stop");
    const seen: unknown[] = [];
    for (let at = 0; at < 3; at++) gate.pass(never).catch((error: unknown) => seen.push(error));
    await turn();
    gate.abort(reason);
    expect(seen).toEqual([]);
    await null;
    expect(seen).toHaveLength(3);
    for (const error of seen) expect(error).toBe(reason);
  });

  it("is let go just as soon where the abort comes through a signal from outside", async () => {
    const gate = new AbortGate();
    const outside = new AbortController();
    gate.follow(outside.signal);
    const seen: unknown[] = [];
    gate.pass(never).catch((error: unknown) => seen.push(error));
    outside.abort("user left");
    await null;
    expect(seen).toEqual(["user left"]);
  });

  it("is not waited for when the gate is closed already", async () => {
    const gate = new AbortGate();
    gate.abort("closed");
    await expect(gate.pass(never)).rejects.toBe("closed");
    await expect(gate.pass(Promise.resolve(1))).rejects.toBe("closed");
  });

  it("may fail long after it was abandoned without anybody having to handle it", async () => {
    const unhandled = await unhandledDuring(async () => {
      const gate = new AbortGate();
      let failLate = (_reason: unknown): void => {};
      let failLater = (_reason: unknown): void => {};
      const before = gate.pass(new Promise((_, reject) => (failLate = reject)));
      gate.abort("stop");
      const after = gate.pass(new Promise((_, reject) => (failLater = reject)));
      await expect(before).rejects.toBe("stop");
      await expect(after).rejects.toBe("stop");
      failLate(new Error("late"));
      failLater(new Error("later"));
    });
    expect(unhandled).toEqual([]);
  });

  it("that ended before the abort is not touched by it", async () => {
    const gate = new AbortGate();
    const unhandled = await unhandledDuring(async () => {
      const passed = gate.pass(Promise.resolve("done"));
      await turn();
      gate.abort("stop");
      expect(await passed).toBe("done");
    });
    expect(unhandled).toEqual([]);
  });

  it("gets the reason or its own outcome, whichever comes first", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("resolves", "rejects", "never"), { maxLength: 6 }),
        fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
        async (kinds, early) => {
          const gate = new AbortGate();
          const settle: (() => void)[] = [];
          const passed = kinds.map((kind, at) =>
            gate.pass(
              new Promise((resolve, reject) => {
                const end = kind === "resolves" ? resolve : reject;
                if (kind !== "never") settle[at] = () => end(`own ${at}`);
              }),
            ),
          );
          const outcomes = Promise.allSettled(passed);
          kinds.forEach((_, at) => {
            if (early[at]) settle[at]?.();
          });
          await turn();
          gate.abort("stop");
          for (const late of settle) late?.();
          expect(
            (await outcomes).map((each) => ("value" in each ? each.value : each.reason)),
          ).toEqual(
            kinds.map((kind, at) => (early[at] && kind !== "never" ? `own ${at}` : "stop")),
          );
        },
      ),
    );
  });
});

describe("the gate", () => {
  it("keeps its first reason", () => {
    const gate = new AbortGate();
    expect(() => gate.throwIfAborted()).not.toThrow();
    gate.abort("first");
    gate.abort("second");
    expect([gate.aborted, gate.reason]).toEqual([true, "first"]);
    expect(() => gate.throwIfAborted()).toThrow("first");
  });

  it("makes its signal on first use, once, and no controller before", () => {
    const original = globalThis.AbortController;
    let controllers = 0;
    globalThis.AbortController = class extends original {
      constructor() {
        super();
        controllers++;
      }
    };
    try {
      const gate = new AbortGate();
      gate.pass(never).catch(() => {});
      gate.abort("stop");
      expect(controllers).toBe(0);
      expect(gate.signal).toBe(gate.signal);
      expect(controllers).toBe(1);
    } finally {
      globalThis.AbortController = original;
    }
  });

  it("has a signal that is aborted with the same reason, whenever it was made", () => {
    const reason = new Error("stop");
    const early = new AbortGate();
    const { signal } = early;
    expect(signal.aborted).toBe(false);
    early.abort(reason);
    const late = new AbortGate();
    late.abort(reason);
    for (const each of [signal, late.signal])
      expect([each.aborted, each.reason]).toEqual([true, reason]);
  });

  it("knows whether it was stopped from outside", () => {
    const outside = new AbortController();
    const inside = new AbortGate();
    inside.follow(outside.signal);
    inside.abort("time is up");
    outside.abort("user left");
    expect([inside.external, inside.reason]).toEqual([false, "time is up"]);

    const followed = new AbortGate();
    followed.follow(outside.signal);
    expect([followed.external, followed.reason]).toEqual([true, "user left"]);
  });
});

describe("following signals", () => {
  it("takes the reason of a signal that is aborted already, and leaves no listener there", () => {
    const outside = AbortSignal.abort("before");
    const gate = new AbortGate();
    gate.follow(outside);
    expect([gate.aborted, gate.reason, gate.signal.reason]).toEqual([true, "before", "before"]);
    expect(listenersOf(outside)).toBe(0);
  });

  it("takes one listener of a signal, however many follow it, and none after their release, aborted or not", () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const gates = Array.from({ length: 5 }, () => new AbortGate());
    for (const gate of gates) {
      gate.follow(one.signal);
      gate.follow(two.signal);
    }
    expect([listenersOf(one.signal), listenersOf(two.signal)]).toEqual([1, 1]);
    gates[0]?.release();
    expect([listenersOf(one.signal), listenersOf(two.signal)]).toEqual([1, 1]);
    one.abort("stop");
    for (const gate of gates) gate.release();
    expect([listenersOf(one.signal), listenersOf(two.signal)]).toEqual([0, 0]);
    expect(gates.map(({ aborted }) => aborted)).toEqual([false, true, true, true, true]);
  });

  it("ends with release: a later abort there is none here", () => {
    const outside = new AbortController();
    const gate = new AbortGate();
    gate.follow(outside.signal);
    gate.release();
    gate.release();
    outside.abort();
    expect(gate.aborted).toBe(false);
  });
});
