import { AsyncLocalStorage } from "node:async_hooks";
import { Agent, tool } from "@tunic/core";
import { type ScriptedAnswer, ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";

function macrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("a stream", () => {
  it("is refused a signal that is none, before anything starts", () => {
    const client = new ScriptedChatClient(["hello"]);
    const signal = new AbortController() as never;
    expect(() => new Agent({ client }).stream("go", { signal })).toThrow(/controller\.signal/);
    expect(client.requests).toEqual([]);
  });

  it("has iterators that can be iterated on, as all iterators can", async () => {
    for (const of of ["updates", "text"] as const) {
      const stream = new Agent({ client: new ScriptedChatClient(["hello"]) }).stream("go");
      const iterator = (of === "text" ? stream.text : stream)[Symbol.asyncIterator]();
      await iterator.next();
      const rest: unknown[] = [];
      for await (const update of iterator as AsyncIterableIterator<unknown>) rest.push(update);
      expect(rest.length).toBe(of === "text" ? 0 : 1);
    }
  });

  const turns = (): ScriptedAnswer[] => [
    {
      text: "x".repeat(1000),
      chunkSize: 1,
      calls: [{ name: "work" }, { name: "work" }, { name: "work" }],
    },
    { text: "end" },
  ];

  it("that nobody iterates: awaiting the response alone ends", async () => {
    const stream = new Agent({
      client: new ScriptedChatClient(turns()),
      tools: [tool({ name: "work", execute: () => "ok" })],
    }).stream("go");
    expect((await stream.response).text).toBe("end");
  });

  it("that is left early stops the run and resolves once it has settled", async () => {
    const seen: AbortSignal[] = [];
    let settled = false;
    const stream = new Agent({
      client: new ScriptedChatClient(turns()),
      tools: [
        tool({
          name: "work",
          async execute(_, { signal, reportProgress }) {
            seen.push(signal);
            await reportProgress("here");
            await new Promise((_, reject) =>
              signal.addEventListener("abort", () => reject(signal.reason)),
            );
          },
        }),
      ],
    }).stream("go");
    const settling = (): void => {
      settled = true;
    };
    stream.response.then(settling, settling);
    for await (const update of stream) if (update.type === "progress") break;
    expect(settled).toBe(true);
    expect(seen.length).toBe(3);
    expect(seen.every((signal) => signal.aborted)).toBe(true);
    await expect(stream.response).rejects.toMatchObject({ code: "stream_closed" });
  });

  it("with parallel producers and a slow consumer never stalls and loses nothing", async () => {
    const stream = new Agent({
      client: new ScriptedChatClient(turns()),
      tools: [
        tool({
          name: "work",
          async execute(_, { reportProgress }) {
            for (let step = 0; step < 300; step++) await reportProgress(`${step}`);
            return "ok";
          },
        }),
      ],
    }).stream("go", { highWaterMark: 4 });
    let progress = 0;
    for await (const update of stream) {
      if (update.type === "progress") progress++;
      if (progress % 50 === 0) await macrotask();
    }
    expect(progress).toBe(900);
    expect((await stream.response).text).toBe("end");
  });

  it("B84: every tool sees the async context of the call that made it, to the end of the stream", async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const make = (name: string) =>
      storage.run(name, () =>
        new Agent({
          client: new ScriptedChatClient([
            { text: "abc", chunkSize: 1, calls: [{ name: "work" }] },
            { calls: [{ name: "work" }] },
            { text: "xyz", chunkSize: 1 },
          ]),
          tools: [
            tool({
              name: "work",
              async execute() {
                seen.push(storage.getStore());
                await macrotask();
                seen.push(storage.getStore());
              },
            }),
          ],
        }).stream("go", { highWaterMark: 1 }),
      );
    for (const name of ["one", "two"]) {
      const stream = make(name);
      await storage.run("the consumer", async () => {
        for await (const _ of stream) expect(storage.getStore()).toBe("the consumer");
      });
    }
    expect(seen).toEqual(["one", "one", "one", "one", "two", "two", "two", "two"]);
  });
});
