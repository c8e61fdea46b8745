import { getEventListeners } from "node:events";
import {
  Agent,
  AgentSession,
  ChatClientError,
  checkHistory,
  type RunEvent,
  TunicError,
  tool,
} from "@tunic/core";
import { manualEnvironment, type ScriptedAnswer, ScriptedChatClient } from "@tunic/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const unhandled: unknown[] = [];
const note = (error: unknown): void => {
  unhandled.push(error);
};
beforeAll(() => {
  process.on("unhandledRejection", note);
});
afterAll(async () => {
  await macrotask();
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

function macrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** How the parts of one run behave. */
interface Shape {
  readonly stream: "not" | "pushed" | "slow";
  readonly deafTool: boolean;
  readonly parallel: number;
  readonly session: boolean;
}

const shapes: fc.Arbitrary<Shape> = fc.record({
  stream: fc.constantFrom("not", "pushed", "slow"),
  deafTool: fc.boolean(),
  parallel: fc.integer({ min: 1, max: 4 }),
  session: fc.boolean(),
});

/** A run with a probe at every point at which something of the outside is called or waited for. */
async function probedRun(shape: Shape, probe: (point: number) => void, signal?: AbortSignal) {
  let points = 0;
  const at = (): void => probe(points++);
  const signals: AbortSignal[] = [];
  const ran: string[] = [];
  const events: RunEvent[] = [];
  const session = shape.session ? new AgentSession() : undefined;
  const beforePiece = (): void => at();
  const call = (index: number) => ({ name: index % 2 ? "work" : "quick", arguments: { n: index } });
  const turns: ScriptedAnswer[] = [
    {
      text: "looking",
      calls: Array.from({ length: shape.parallel }, (_, index) => call(index)),
      chunkSize: 4,
      beforePiece,
    },
    { calls: [call(1)], beforePiece },
    { text: "all done", chunkSize: 3, beforePiece },
  ];
  const parameters = { type: "object", properties: { n: { type: "number" } } } as const;
  const agent = new Agent({
    client: new ScriptedChatClient(turns),
    environment: manualEnvironment(),
    tools: [
      tool({
        name: "quick",
        parameters,
        execute({ n }, context) {
          ran.push(`quick ${n}`);
          at();
          return context.iteration;
        },
      }),
      tool({
        name: "work",
        parameters,
        async execute({ n }, context) {
          ran.push(`work ${n}`);
          signals.push(context.signal);
          at();
          await context.reportProgress("begun");
          at();
          // A deaf tool in a run that is stopped goes on without end.
          if (shape.deafTool && signal?.aborted) await new Promise(() => {});
          await Promise.resolve();
          at();
          return n;
        },
      }),
    ],
  });
  const onUpdate = (): void | Promise<void> => {
    at();
    if (shape.stream === "slow") return macrotask();
  };
  const promise = agent.run("go", {
    onEvent: (event) => events.push(event),
    ...(session && { session }),
    ...(signal && { signal }),
    ...(shape.stream !== "not" && { onUpdate }),
  });
  return { promise, points: () => points, signals, ran, events, session };
}

/** How many points a run of this shape has when nothing happens. */
async function countPoints(shape: Shape): Promise<number> {
  const run = await probedRun(shape, () => {});
  await run.promise;
  return run.points();
}

function startsAndEnds(
  events: readonly RunEvent[],
  kind: "run" | "model" | "call",
): [number, number] {
  const count = (type: string): number => events.filter((event) => event.type === type).length;
  return [count(`${kind}.start`), count(`${kind}.end`)];
}

describe("an abort at every point of a run", () => {
  it("rejects with the signal's reason in the macrotask it arrives in, and leaves nothing behind", async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.nat(), async (shape, pick) => {
        const target = pick % (await countPoints(shape));
        const controller = new AbortController();
        const reason = new Error("stopped by the caller");
        let settled = false;
        let late: Promise<void> | undefined;
        const run = await probedRun(
          shape,
          (point) => {
            if (point !== target) return;
            controller.abort(reason);
            late = macrotask().then(() => {
              expect(settled, "not settled in the macrotask of the abort").toBe(true);
            });
          },
          controller.signal,
        );
        const outcome = await run.promise.then(
          () => "resolved",
          (error: unknown) => error,
        );
        settled = true;
        await late;
        // An abort in the very last steps may find the run done.
        if (outcome !== "resolved") expect(outcome).toBe(reason);
        expect(getEventListeners(controller.signal, "abort")).toEqual([]);
        for (const signal of run.signals)
          if (outcome !== "resolved") expect(signal.aborted).toBe(true);
        for (const kind of ["run", "model", "call"] as const) {
          const [starts, ends] = startsAndEnds(run.events, kind);
          expect(ends, `${kind}: one end for each start`).toBe(starts);
        }
        const end = run.events.find((event) => event.type === "run.end");
        expect(checkHistory(end?.transcript ?? [])).toEqual([]);
        const log = run.session?.messages ?? [];
        expect(checkHistory(log)).toEqual([]);
        // Nothing new starts after the abort.
        const before = run.ran.length;
        await macrotask();
        expect(run.ran.length).toBe(before);
      }),
      { numRuns: 800 },
    );
  });

  it("keeps finished results, and says of the others what is known", async () => {
    const controller = new AbortController();
    const session = new AgentSession();
    const agent = new Agent({
      client: new ScriptedChatClient([
        {
          calls: [
            { name: "first", id: "a" },
            { name: "second", id: "b" },
            { name: "third", id: "c" },
          ],
        },
      ]),
      tools: [
        tool({ name: "first", execute: () => "kept" }),
        tool({
          name: "second",
          execute() {
            controller.abort(new Error("stop"));
            return new Promise(() => {});
          },
        }),
        tool({ name: "third", exclusive: true, execute: () => "never" }),
      ],
    });
    await expect(agent.run("go", { session, signal: controller.signal })).rejects.toThrow("stop");
    const results = session.messages.at(-1)?.contents.map((content) => JSON.stringify(content));
    expect(results?.[0]).toContain("kept");
    expect(results?.[1]).toContain("interrupted: may or may not have run");
    expect(results?.[2]).toContain("not run");
    expect(results?.join()).not.toContain("cancelled");
  });

  it("reports what an abandoned tool came to later", async () => {
    const controller = new AbortController();
    const events: string[] = [];
    let finish: (value: string) => void = () => {};
    const agent = new Agent({
      client: new ScriptedChatClient([{ calls: [{ name: "deaf" }] }]),
      tools: [
        tool({
          name: "deaf",
          execute: () =>
            new Promise((resolve) => {
              finish = resolve;
              controller.abort(new Error("stop"));
            }),
        }),
      ],
    });
    agent.events.on("call.end", (event) => events.push(`end ${event.outcome}`));
    agent.events.on("run.end", (event) => events.push(`run ${event.outcome}`));
    agent.events.on("call.abandoned", (event) => events.push(`abandoned ${event.outcome}`));
    await expect(agent.run("go", { signal: controller.signal })).rejects.toThrow("stop");
    expect(events).toEqual(["end interrupted", "run aborted"]);
    finish("too late");
    await macrotask();
    expect(events).toEqual(["end interrupted", "run aborted", "abandoned completed"]);
  });

  it.each([
    ["the reason itself", (reason: unknown) => reason],
    [
      "an AbortError around it",
      (cause: unknown) => Object.assign(new Error("stopped", { cause }), { name: "AbortError" }),
    ],
  ])("does not report a tool that obeys its signal and rejects with %s", async (_, toError) => {
    const controller = new AbortController();
    const events: string[] = [];
    const heed = tool({
      name: "heed",
      execute: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(toError(signal.reason)));
          controller.abort(new Error("stop"));
        }),
    });
    const client = new ScriptedChatClient([{ calls: [{ name: "heed" }] }]);
    const agent = new Agent({ client, tools: [heed] });
    agent.events.on("call.end", (event) => events.push(`end ${event.outcome}`));
    agent.events.on("call.abandoned", (event) => events.push(`abandoned ${event.outcome}`));
    await expect(agent.run("go", { signal: controller.signal })).rejects.toThrow("stop");
    await macrotask();
    expect(events).toEqual(["end interrupted"]);
  });

  it("does not begin under a signal that has fired", async () => {
    const client = new ScriptedChatClient(["never"]);
    const reason = new Error("before");
    const agent = new Agent({ client });
    await expect(agent.run("go", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(client.requests).toEqual([]);
  });

  it("leaves no listener on the caller's signal after 10,000 runs", async () => {
    const { signal } = new AbortController();
    const agent = new Agent({
      client: new ScriptedChatClient((request) =>
        request.messages.length > 1 ? "done" : { calls: [{ name: "work" }] },
      ),
      tools: [tool({ name: "work", execute: async (_, { signal }) => signal.aborted })],
    });
    for (let run = 0; run < 10_000; run++) await agent.run("go", { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("a failure at every point of a run", () => {
  it("in the consumer rejects with what it threw, in a tool is data, in the client is a ChatClientError", async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.nat(), async (shape, pick) => {
        const target = pick % (await countPoints(shape));
        const thrown = new Error("injected");
        const run = await probedRun({ ...shape, deafTool: false }, (point) => {
          if (point === target) throw thrown;
        });
        const outcome = await run.promise.then(
          (response) => response,
          (error: unknown) => error,
        );
        const end = run.events.find((event) => event.type === "run.end");
        expect(checkHistory(end?.transcript ?? [])).toEqual([]);
        expect(checkHistory(run.session?.messages ?? [])).toEqual([]);
        for (const kind of ["run", "model", "call"] as const) {
          const [starts, ends] = startsAndEnds(run.events, kind);
          expect(ends).toBe(starts);
        }
        if (!(outcome instanceof Error)) return;
        if (outcome instanceof ChatClientError) {
          expect(outcome.cause).toBe(thrown);
          expect(outcome.code).toBe("unknown");
          expect(checkHistory(outcome.transcript ?? [])).toEqual([]);
        } else {
          expect(outcome).toBe(thrown);
          expect(outcome).not.toBeInstanceOf(TunicError);
        }
      }),
      { numRuns: 600 },
    );
  });
});
