import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Update } from "../messages/update.js";
import { openStream } from "./response-stream.js";

type Push = (update: Update) => void | Promise<void>;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const turns = async (count: number): Promise<void> => {
  for (let at = 0; at < count; at++) await turn();
};

/** Pushes numbered updates; now and then something else happens in between. */
async function produce(push: Push, name: string, count: number, pauses: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    if (pauses > 0 && at % pauses === 0) await turn();
    await push({ type: "progress", callId: `${name}:${at}` });
  }
}

describe("one producer", () => {
  it("lets at most highWaterMark updates of a producer wait once somebody pulls", async () => {
    for (const highWaterMark of [1, 2, 3, 8]) {
      let pushed = 0;
      let received = 0;
      let begin = (): void => {};
      const pulled = new Promise<void>((resolve) => (begin = resolve));
      const stream = openStream(
        async (push) => {
          await pulled;
          for (; pushed < 50; ) await push({ type: "progress", callId: `p${pushed++}` });
        },
        undefined,
        { highWaterMark },
      );
      const updates = stream[Symbol.asyncIterator]();
      let most = 0;
      let next = updates.next();
      begin();
      for (; !(await next).done; next = updates.next()) {
        received++;
        await turn();
        most = Math.max(most, pushed - received);
      }
      expect({ highWaterMark, received, most }).toEqual({
        highWaterMark,
        received: 50,
        most: highWaterMark,
      });
    }
  });

  it("is 256 where nothing else is said", async () => {
    let pushed = 0;
    let begin = (): void => {};
    const pulled = new Promise<void>((resolve) => (begin = resolve));
    const stream = openStream(async (push) => {
      await pulled;
      for (; pushed < 1000; ) await push({ type: "progress", callId: `p${pushed++}` });
    });
    const updates = stream[Symbol.asyncIterator]();
    const first = updates.next();
    begin();
    await first;
    await turn();
    expect(pushed).toBe(257);
    for (let next = await updates.next(); !next.done; ) next = await updates.next();
    expect(pushed).toBe(1000);
  });

  it("holds for what was kept before the first pull as well", async () => {
    let pushed = 0;
    const stream = openStream(
      async (push) => {
        for (; pushed < 100; ) await push({ type: "progress", callId: `p${pushed++}` });
        await turn();
        for (; pushed < 200; ) await push({ type: "progress", callId: `p${pushed++}` });
      },
      undefined,
      { highWaterMark: 4 },
    );
    await turn();
    expect(pushed).toBe(100);
    const updates = stream[Symbol.asyncIterator]();
    await updates.next();
    await turn();
    expect(pushed).toBe(101);
    let received = 1;
    while (!(await updates.next()).done) received++;
    expect(received).toBe(200);
  });
});

describe("several producers with one slow consumer", () => {
  it("never stall, and nothing is lost: three that work at once", async () => {
    const stream = openStream((push) =>
      Promise.all(["a", "b", "c"].map((name) => produce(push, name, 100, 0))),
    );
    const seen: Update[] = [];
    for await (const update of stream) {
      seen.push(update);
      await turn();
    }
    expect(seen).toHaveLength(300);
    await stream.response;
  });

  const producer = fc.record({ count: fc.nat({ max: 25 }), pauses: fc.nat({ max: 4 }) });

  it("end for any speeds, in their own order, with no more waiting than may wait", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(producer, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 8 }),
        async (producers, highWaterMark, speeds) => {
          let pushed = 0;
          let begin = (): void => {};
          const pulled = new Promise<void>((resolve) => (begin = resolve));
          const stream = openStream(
            async (push) => {
              await pulled;
              const counted: Push = (update) => {
                pushed++;
                return push(update);
              };
              const all = producers.map(({ count, pauses }, at) =>
                produce(counted, `${at}`, count, pauses),
              );
              await Promise.all(all);
            },
            undefined,
            { highWaterMark },
          );
          const seen: string[] = [];
          let most = 0;
          const updates = stream[Symbol.asyncIterator]();
          let pull = updates.next();
          begin();
          for (let got = await pull; !got.done; got = await pull) {
            if (got.value.type === "progress") seen.push(got.value.callId);
            await turns(speeds[seen.length % speeds.length] ?? 0);
            most = Math.max(most, pushed - seen.length);
            pull = updates.next();
          }
          producers.forEach(({ count }, at) => {
            const own = seen.filter((callId) => callId.startsWith(`${at}:`));
            expect(own).toEqual(Array.from({ length: count }, (_, index) => `${at}:${index}`));
          });
          // Each producer learns that there is no room only with the update it has just handed over.
          expect(most).toBeLessThanOrEqual(highWaterMark + producers.length - 1);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("are all let go when the consumer leaves, wherever it does", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 12 }),
        async (producers, highWaterMark, leaveAt) => {
          let ended = 0;
          const stream = openStream(
            async (push, signal) => {
              const work = async (name: number): Promise<void> => {
                for (let at = 0; !signal.aborted; at++) {
                  if (at % 3 === 0) await turn();
                  await push({ type: "progress", callId: `${name}:${at}` });
                }
                ended++;
              };
              await Promise.all(Array.from({ length: producers }, (_, name) => work(name)));
            },
            undefined,
            { highWaterMark },
          );
          let received = 0;
          for await (const _ of stream) {
            if (received % 2 === 0) await turn();
            if (++received === leaveAt) break;
          }
          expect(ended).toBe(producers);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("drop what they push after the work has ended, and wait for nobody then", async () => {
    let push: Push = () => {};
    const late = (callId: string): Update => ({ type: "progress", callId });
    const stream = openStream(
      async (given) => {
        push = given;
        await produce(push, "in time", 1, 0);
      },
      undefined,
      { highWaterMark: 1 },
    );
    const updates = stream[Symbol.asyncIterator]();
    await updates.next();
    await stream.response;
    expect([push(late("a")), push(late("b"))]).toEqual([undefined, undefined]);
    expect(await updates.next()).toEqual({ value: undefined, done: true });
    const failed = openStream(async (given) => {
      push = given;
      throw new Error("broken");
    });
    await failed.response.catch(() => {});
    push(late("c"));
    await expect(failed[Symbol.asyncIterator]().next()).rejects.toThrow("broken");
  });
});
