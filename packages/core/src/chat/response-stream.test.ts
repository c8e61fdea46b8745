import { AsyncLocalStorage } from "node:async_hooks";
import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { StreamClosedError } from "../errors/run-errors.js";
import type { Update } from "../messages/update.js";
import type { ChatRequest } from "./chat-client.js";
import { openStream, streamResponse } from "./response-stream.js";

type Push = (update: Update) => void | Promise<void>;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const turns = async (count: number): Promise<void> => {
  for (let at = 0; at < count; at++) await turn();
};
const tick = (callId: string): Update => ({ type: "progress", callId });
const idOf = (update: Update | undefined): string =>
  update?.type === "progress" ? update.callId : "";

/** Pushes updates one after the other, waiting for room as everybody must. */
async function produce(push: Push, count: number, name = "p"): Promise<void> {
  for (let at = 0; at < count; at++) await push(tick(`${name}${at}`));
}

/** Work that ends when its signal is aborted, and only then. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

async function unhandledDuring(work: () => unknown): Promise<unknown[]> {
  const seen: unknown[] = [];
  const listen = (reason: unknown): void => void seen.push(reason);
  process.on("unhandledRejection", listen);
  try {
    await work();
    await turns(2);
  } finally {
    process.off("unhandledRejection", listen);
  }
  return seen;
}

describe("the response alone", () => {
  it("always ends, however many updates nobody asks for", async () => {
    const stream = openStream(async (push) => {
      await produce(push, 10_000);
      return "done";
    });
    expect(await stream.response).toBe("done");
  });

  it("starts at the call, before anybody awaits or iterates", () => {
    let started = false;
    openStream(async () => {
      started = true;
    });
    expect(started).toBe(true);
  });

  it("may be awaited after the iteration, and beside it", async () => {
    const stream = openStream(async (push) => {
      await produce(push, 3);
      return "done";
    });
    const seen: string[] = [];
    for await (const update of stream) seen.push(idOf(update));
    expect(seen).toEqual(["p0", "p1", "p2"]);
    expect(await stream.response).toBe("done");
  });

  it("rejects, and hurts nobody when nobody looks", async () => {
    const unhandled = await unhandledDuring(() => {
      openStream(() => Promise.reject(new Error("broken")));
    });
    expect(unhandled).toEqual([]);
    const stream = openStream(() => Promise.reject(new Error("broken")));
    await expect(stream.response).rejects.toThrow("broken");
  });
});

describe("the iteration", () => {
  it("begins with what was pushed before the first pull, all of it", async () => {
    const stream = openStream(async (push) => produce(push, 1000));
    await stream.response;
    let count = 0;
    for await (const update of stream) expect(idOf(update)).toBe(`p${count++}`);
    expect(count).toBe(1000);
  });

  it("gets an update as soon as it is pushed", async () => {
    let push: Push = () => {};
    const stream = openStream((given) => {
      push = given;
      return new Promise(() => {});
    });
    const updates = stream[Symbol.asyncIterator]();
    const first = updates.next();
    const second = updates.next();
    expect(push(tick("a"))).toBeUndefined();
    expect(push(tick("b"))).toBeUndefined();
    expect([(await first).value, (await second).value]).toEqual([tick("a"), tick("b")]);
  });

  it("sees a failure after the updates that came before it, once", async () => {
    const unhandled = await unhandledDuring(async () => {
      const stream = openStream(async (push) => {
        await produce(push, 2);
        throw new Error("broken");
      });
      await turn();
      const updates = stream[Symbol.asyncIterator]();
      expect([await updates.next(), await updates.next()]).toMatchObject([
        { value: tick("p0") },
        { value: tick("p1") },
      ]);
      await expect(updates.next()).rejects.toThrow("broken");
      expect(await updates.next()).toEqual({ value: undefined, done: true });
    });
    expect(unhandled).toEqual([]);
  });

  it("that waits already sees the failure too", async () => {
    let fail = (_error: Error): void => {};
    const stream = openStream(() => new Promise((_, reject) => (fail = reject)));
    const updates = stream[Symbol.asyncIterator]();
    const [first, second] = [updates.next(), updates.next()];
    fail(new Error("broken"));
    await expect(first).rejects.toThrow("broken");
    expect(await second).toEqual({ value: undefined, done: true });
  });

  it("can be had once: a second one is a TypeError, of whichever kind", async () => {
    const stream = openStream(async (push) => produce(push, 1));
    stream[Symbol.asyncIterator]();
    expect(() => stream[Symbol.asyncIterator]()).toThrow(TypeError);
    expect(() => stream.text[Symbol.asyncIterator]()).toThrow(TypeError);
    const other = openStream(async (push) => produce(push, 1));
    other.text[Symbol.asyncIterator]();
    expect(() => other[Symbol.asyncIterator]()).toThrow(
      expect.objectContaining({ code: "stream_taken", message: expect.stringMatching(/once/) }),
    );
    await Promise.all([stream.response, other.response]);
  });
});

describe("leaving early", () => {
  it("aborts the work, lets every producer that waits for room go on, and drops what follows", async () => {
    let released = 0;
    let reason: unknown;
    const afterwards: unknown[] = [];
    const stream = openStream(
      async (push, signal) => {
        await turn();
        const producers = ["a", "b", "c"].map(async (name) => {
          for (let at = 0; !signal.aborted && at < 1000; at++) await push(tick(name));
          released++;
          afterwards.push(push(tick("late")));
        });
        await Promise.all(producers);
        reason = signal.reason;
        throw reason;
      },
      undefined,
      { highWaterMark: 2 },
    );
    for await (const _ of stream) {
      await turns(3);
      break;
    }
    expect(released).toBe(3);
    expect(reason).toBeInstanceOf(StreamClosedError);
    expect(afterwards).toEqual([undefined, undefined, undefined]);
    await expect(stream.response).rejects.toBe(reason);
  });

  it("ends once the work has settled, not before", async () => {
    let settle = (): void => {};
    const stream = openStream(async (push) => {
      await push(tick("a"));
      await new Promise<void>((resolve) => (settle = resolve));
      return "late, but whole";
    });
    const updates = stream[Symbol.asyncIterator]();
    await updates.next();
    let left = false;
    const leaving = updates.return?.().then(() => {
      left = true;
    });
    await turns(3);
    expect(left).toBe(false);
    settle();
    await leaving;
    expect(await stream.response).toBe("late, but whole");
    expect(await updates.next()).toEqual({ value: undefined, done: true });
  });

  it("by a throw in the loop's body is leaving too, and the throw is what comes out", async () => {
    let signal: AbortSignal | undefined;
    const stream = openStream(async (push, given) => {
      signal = given;
      await push(tick("a"));
      return untilAborted(given);
    });
    const loop = async (): Promise<void> => {
      for await (const _ of stream) throw new Error("consumer");
    };
    const unhandled = await unhandledDuring(() => expect(loop()).rejects.toThrow("consumer"));
    expect(unhandled).toEqual([]);
    expect(signal?.aborted).toBe(true);
  });

  it("while a pull waits ends that pull", async () => {
    const stream = openStream((_push, signal) => untilAborted(signal));
    const updates = stream[Symbol.asyncIterator]();
    const waiting = updates.next();
    await updates.return?.();
    expect(await waiting).toEqual({ value: undefined, done: true });
  });

  it("after the end changes nothing", async () => {
    const stream = openStream(async (push) => {
      await push(tick("a"));
      return "done";
    });
    await stream.response;
    for await (const _ of stream) break;
    expect(await stream.response).toBe("done");
  });
});

describe("the caller", () => {
  it("aborts the work by a signal, with its own reason, and no listener stays there", async () => {
    const caller = new AbortController();
    const stream = openStream((_push, signal) => untilAborted(signal), caller.signal);
    expect(getEventListeners(caller.signal, "abort")).toHaveLength(1);
    const reason = new Error("left");
    caller.abort(reason);
    await expect(stream.response).rejects.toBe(reason);
    await turn();
    expect(getEventListeners(caller.signal, "abort")).toHaveLength(0);
  });

  it("keeps no listener on a signal that never fires, however the work ends", async () => {
    const { signal } = new AbortController();
    await openStream(async () => 1, signal).response;
    await openStream(() => Promise.reject(new Error("broken")), signal).response.catch(() => {});
    for await (const _ of openStream(async (push) => produce(push, 3), signal)) break;
    await turn();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("with a signal that is aborted already starts work that knows it", async () => {
    const stream = openStream(async (_push, signal) => {
      signal.throwIfAborted();
    }, AbortSignal.abort("before"));
    await expect(stream.response).rejects.toBe("before");
  });

  it("is the async context of the work, whoever consumes the stream", async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const stream = storage.run("caller", () =>
      openStream(
        async (push) => {
          seen.push(storage.getStore());
          await turn();
          for (let at = 0; at < 4; at++) {
            await push(tick(`p${at}`));
            seen.push(storage.getStore());
          }
        },
        undefined,
        { highWaterMark: 1 },
      ),
    );
    await storage.run("consumer", async () => {
      for await (const _ of stream) await turn();
    });
    expect(seen).toEqual(new Array(5).fill("caller"));
  });

  it("keeps no listener where the work throws before it gives a promise, which is a rejection", async () => {
    const { signal } = new AbortController();
    const stream = openStream(() => {
      throw new Error("at once");
    }, signal);
    await expect(stream.response).rejects.toThrow("at once");
    await turn();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});

describe("streamResponse", () => {
  it("asks the client with the request as it is, and a signal and a consumer of its own", async () => {
    const requests: ChatRequest[] = [];
    const client = {
      metadata: { provider: "test" },
      async getResponse(request: ChatRequest) {
        requests.push(request);
        await request.onUpdate?.(tick("a"));
        return { messages: [] };
      },
    };
    const request = { messages: [], options: { model: "m" }, signal: new AbortController().signal };
    const stream = streamResponse(client, request);
    const seen: Update[] = [];
    for await (const update of stream) seen.push(update);
    expect(seen).toEqual([tick("a")]);
    expect(await stream.response).toEqual({ messages: [] });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.messages).toBe(request.messages);
    expect(requests[0]?.options).toBe(request.options);
    expect(requests[0]?.signal).not.toBe(request.signal);
    expect(getEventListeners(request.signal, "abort")).toHaveLength(0);
  });
});
