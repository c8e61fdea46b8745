import { getEventListeners } from "node:events";
import {
  Agent,
  chatMiddleware,
  functionMiddleware,
  type Middleware,
  type RunEvent,
  tool,
  toolResult,
  withMiddleware,
} from "@tunic/core";
import { manualEnvironment, ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import {
  type AnyHandler,
  everyOnion,
  expectNoUnhandledRejections,
  type Kind,
  lampAgent,
  middlewareOf,
} from "./support/onions.js";
import { resultTexts } from "./support/outline.js";
import { deferred, rejection, settled } from "./support/play.js";

expectNoUnhandledRejections();

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

/** A bound that fires when the test says so, and whom it has told. */
function bounded(kind: Kind, bound: AbortController, seen: unknown[]): Middleware {
  return middlewareOf(kind, "bounded", async (_context, next) => {
    try {
      return await next({ signal: bound.signal });
    } catch (error) {
      seen.push(error);
      throw error;
    }
  });
}

describe.each(everyOnion)("next({ signal }) in the $kind onion, $manner", ({ kind, options }) => {
  /** An inside that listens to nothing. */
  function deaf(inside: { readonly open: () => void; readonly gate: Promise<void> }): AnyHandler {
    return async (_context, next) => {
      inside.open();
      await inside.gate;
      return next();
    };
  }

  it("rejects at once with the signal's reason, though the inside is deaf", async () => {
    const [entered, gate] = [deferred(), deferred()];
    const bound = new AbortController();
    const seen: unknown[] = [];
    const inside = deaf({ open: () => entered.resolve(), gate: gate.promise });
    const agent = lampAgent([bounded(kind, bound, seen), middlewareOf(kind, "deaf", inside)]);
    const events: RunEvent[] = [];
    const run = rejection(agent.run("go", { ...options, onEvent: (event) => events.push(event) }));
    await entered.promise;
    const reason = new Error("time is up");
    bound.abort(reason);
    await settled();
    expect(seen).toEqual([reason]);
    expect(await run).toBe(reason);
    // Late, the inside goes on: nothing begins, and what came of it is told.
    const before = events.length;
    gate.resolve();
    await settled();
    const told = events.slice(before).map((event) => event.type);
    expect(told).toEqual([kind === "function" ? "call.abandoned" : "notice"]);
    expect(listenersOf(bound.signal)).toBe(0);
  });

  it("gives the inside a signal that fires with the bound, and with the run", async () => {
    for (const which of ["bound", "run"] as const) {
      const bound = new AbortController();
      const run = new AbortController();
      const reasons: unknown[] = [];
      const entered = deferred();
      const listening = middlewareOf(kind, "listening", (context) => {
        entered.resolve();
        return new Promise((_resolve, reject) => {
          context.signal.addEventListener("abort", () => {
            reasons.push(context.signal.reason);
            reject(context.signal.reason);
          });
        });
      });
      const idle = middlewareOf(kind, "idle", (_context, next) => next());
      const agent = lampAgent([bounded(kind, bound, []), idle, listening]);
      const outcome = rejection(agent.run("go", { ...options, signal: run.signal }));
      await entered.promise;
      const reason = new Error(which);
      (which === "bound" ? bound : run).abort(reason);
      // At once, not when the run comes to its end.
      expect(reasons).toEqual([reason]);
      expect(await outcome).toBe(reason);
      expect(reasons).toEqual([reason]);
      expect([listenersOf(bound.signal), listenersOf(run.signal)]).toEqual([0, 0]);
    }
  });

  it("changes nothing and leaves no listener when the inside is in time", async () => {
    const bound = new AbortController();
    const run = new AbortController();
    const agent = lampAgent([bounded(kind, bound, [])]);
    const response = await agent.run("go", { ...options, signal: run.signal });
    expect(response.text).toBe("done");
    expect([listenersOf(bound.signal), listenersOf(run.signal)]).toEqual([0, 0]);
  });

  it("with a signal that has fired before, the inside is not begun", async () => {
    const bound = new AbortController();
    bound.abort("too late");
    let begun = false;
    const inside = middlewareOf(kind, "inside", (_context, next) => {
      begun = true;
      return next();
    });
    const agent = lampAgent([bounded(kind, bound, []), inside]);
    expect(await rejection(agent.run("go", options))).toBeDefined();
    expect(begun).toBe(false);
  });

  it("an abort of the run passes a handler that waits for something of its own, untouched", async () => {
    const controller = new AbortController();
    const waiting = middlewareOf(kind, "waiting", async (context) => {
      await new Promise((_resolve, reject) => {
        context.signal.addEventListener("abort", () => reject(context.signal.reason));
        setImmediate(() => controller.abort(reason));
      });
    });
    const reason = new Error("the caller gave up");
    const run = lampAgent([waiting]).run("go", { ...options, signal: controller.signal });
    expect(await rejection(run)).toBe(reason);
  });
});

describe("a timeout of a deaf tool", () => {
  it("answers in time; the tool's late end is told, and a retry starts it again", async () => {
    const environment = manualEnvironment();
    const events: string[] = [];
    let started = 0;
    const slow = tool({
      name: "slow",
      description: "Deaf.",
      execute: () =>
        new Promise((resolve) => {
          const ms = started++ === 0 ? 500 : 10;
          environment.setTimer(() => resolve(`after ${ms}`), ms);
        }),
    });
    const retrying = functionMiddleware("timeout", async (_context, next) => {
      for (;;) {
        const controller = new AbortController();
        const cancel = environment.setTimer(() => controller.abort("late"), 50);
        try {
          return await next({ signal: controller.signal });
        } catch (error) {
          if (error !== "late") throw error;
        } finally {
          cancel();
        }
      }
    });
    const agent = new Agent({
      client: new ScriptedChatClient([{ calls: [{ name: "slow" }] }, "done"]),
      tools: slow,
      environment,
      middleware: [retrying],
    });
    // The validator is loaded from disk, which takes real time; the clock here is the test's.
    await agent.prepare();
    const run = agent.run("go", {
      onEvent: (event) => {
        if (event.type === "call.end") events.push(`end ${event.outcome} ${event.attempts}`);
        if (event.type === "call.abandoned") events.push(`abandoned ${event.outcome}`);
      },
    });
    await environment.advance(1000);
    expect(resultTexts((await run).messages)).toEqual(["after 10"]);
    expect(events).toEqual(["end completed 2", "abandoned completed"]);
  });

  it("the late failure of a function is told as one", async () => {
    const gate = deferred();
    const controller = new AbortController();
    const told: unknown[] = [];
    const failing = tool({
      name: "slow",
      description: "Fails late.",
      execute: async () => {
        setImmediate(() => controller.abort("enough"));
        await gate.promise;
        throw new Error("late");
      },
    });
    const agent = new Agent({
      client: new ScriptedChatClient([{ calls: [{ name: "slow" }] }, "done"]),
      tools: failing,
      middleware: [
        functionMiddleware("timeout", (_context, next) =>
          next({ signal: controller.signal }).catch(() => toolResult({ contents: "no time" })),
        ),
      ],
    });
    await agent.run("go", {
      onEvent: (event) => {
        if (event.type === "call.abandoned") told.push(event.outcome);
      },
    });
    gate.resolve();
    await settled();
    expect(told).toEqual(["failed"]);
  });

  it("a handler that wakes up after its time does not start the tool any more", async () => {
    for (const stop of ["bound", "run"] as const) {
      const gate = deferred();
      const entered = deferred();
      const controller = new AbortController();
      let ran = 0;
      const work = tool({ name: "work", description: "Works.", execute: () => ++ran });
      const agent = new Agent({
        client: new ScriptedChatClient([{ calls: [{ name: "work" }] }, "done"]),
        tools: work,
        middleware: [
          functionMiddleware("outer", (_context, next) =>
            next(stop === "bound" ? { signal: controller.signal } : {}),
          ),
          functionMiddleware("sleepy", async (_context, next) => {
            entered.resolve();
            await gate.promise;
            return next();
          }),
        ],
      });
      const run = rejection(agent.run("go", stop === "run" ? { signal: controller.signal } : {}));
      await entered.promise;
      controller.abort("enough");
      expect(await run).toBe("enough");
      gate.resolve();
      await settled();
      expect(ran).toBe(0);
    }
  });

  it("a chat handler of an agent that wakes up after its time does not ask the model any more", async () => {
    for (const stop of ["bound", "run"] as const) {
      const gate = deferred();
      const entered = deferred();
      const controller = new AbortController();
      const client = new ScriptedChatClient(["late"]);
      const bounds = stop === "bound" ? { signal: controller.signal } : {};
      const agent = new Agent({
        client,
        middleware: [
          chatMiddleware("outer", async (_context, next) => {
            try {
              return await next(bounds);
            } finally {
              // The run goes on while the sleeper wakes up.
              gate.resolve();
              await settled();
            }
          }),
          chatMiddleware("sleepy", async (_context, next) => {
            entered.resolve();
            await gate.promise;
            return next();
          }),
        ],
      });
      const run = rejection(agent.run("go", stop === "run" ? { signal: controller.signal } : {}));
      await entered.promise;
      controller.abort("enough");
      expect(await run).toBe("enough");
      gate.resolve();
      await settled();
      expect(client.requests).toEqual([]);
    }
  });

  it("handlers between a bound and a client see the bound's own reason", async () => {
    const controller = new AbortController();
    const reason = new Error("time is up");
    const seen: unknown[] = [];
    const client = {
      metadata: { provider: "listening" },
      getResponse: ({ signal }: { signal?: AbortSignal | undefined }) =>
        new Promise<never>((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason));
          setImmediate(() => controller.abort(reason));
        }),
    };
    const agent = new Agent({
      client,
      middleware: [
        chatMiddleware("outer", (_context, next) => next({ signal: controller.signal })),
        chatMiddleware("between", (_context, next) =>
          next().catch((error: unknown) => {
            seen.push(error);
            throw error;
          }),
        ),
      ],
    });
    expect(await rejection(agent.run("go"))).toBe(reason);
    await settled();
    expect(seen).toEqual([reason]);
  });

  it("a chat handler that wakes up after its time does not ask the model any more", async () => {
    const gate = deferred();
    const entered = deferred();
    const controller = new AbortController();
    const client = new ScriptedChatClient(["late"]);
    const wrapped = withMiddleware(client, [
      chatMiddleware("sleepy", async (_context, next) => {
        entered.resolve();
        await gate.promise;
        return next();
      }),
    ]);
    const run = rejection(
      wrapped.getResponse({ messages: [], options: {}, signal: controller.signal }),
    );
    await entered.promise;
    controller.abort("enough");
    expect(await run).toBe("enough");
    expect(listenersOf(controller.signal)).toBe(0);
    gate.resolve();
    await settled();
    expect(client.requests).toEqual([]);
  });
});
