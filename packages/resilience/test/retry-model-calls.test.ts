import { getEventListeners } from "node:events";
import {
  Agent,
  ChatClientError,
  ConfigurationError,
  chatMiddleware,
  type Middleware,
  MiddlewareError,
  tool,
  withMiddleware,
} from "@tunic/core";
import type { ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { type RetryModelCallsOptions, retryModelCalls } from "../src/index.js";
import {
  askBare,
  bothManners,
  busy,
  noticesOf,
  noticeTexts,
  play,
  rejection,
  request,
  scripted,
} from "./support.js";

const exact = { jitter: 0 } as const;
const fail = (error: unknown = busy()): ScriptedTurn => ({ error });
/** Fails after it has streamed something. */
const cut = (text: string): ScriptedTurn => ({ text, error: busy(), errorAfter: 1 });

function playRetry(
  turns: readonly ScriptedTurn[],
  options: RetryModelCallsOptions = {},
  run: { streamed?: boolean; signal?: AbortSignal; tools?: ReturnType<typeof tool>[] } = {},
  inside: readonly Middleware[] = [],
) {
  const client = scripted("test", turns);
  const { tools = [], ...rest } = run;
  const middleware = [retryModelCalls({ ...exact, ...options }), ...inside];
  return { client, ...play({ client, middleware, tools }, rest) };
}

describe.each(bothManners)("retryModelCalls ($manner)", ({ streamed }) => {
  it("asks again until the model answers, longer apart each time", async () => {
    const { client, environment, events, finish } = playRetry(
      [fail(), fail(), "Here."],
      {},
      { streamed },
    );
    await environment.advance(999);
    expect(client.requests).toHaveLength(1);
    await environment.advance(1);
    expect(client.requests).toHaveLength(2);
    await environment.advance(1999);
    expect(client.requests).toHaveLength(2);
    expect((await finish()).text).toBe("Here.");
    expect(client.requests).toHaveLength(3);
    expect(noticesOf(events)).toEqual(["model_call_retried", "model_call_retried"]);
    expect(noticeTexts(events)[0]).toContain("Attempt 1 of 3 at a model call failed (overloaded)");
    expect(noticeTexts(events)[1]).toContain("in 2000 ms");
  });

  it("gives the last error after the last attempt", async () => {
    const last = busy();
    const { client, events, failure } = playRetry([fail(), fail(), fail(last)], {}, { streamed });
    expect(await failure()).toBe(last);
    expect(client.requests).toHaveLength(3);
    expect(noticesOf(events).at(-1)).toBe("model_call_given_up");
  });

  it("lets an error pass that says that the same will fail again", async () => {
    const error = new ChatClientError("bad_request", "No.");
    const { client, events, failure } = playRetry([fail(error)], {}, { streamed });
    expect(await failure()).toBe(error);
    expect(client.requests).toHaveLength(1);
    expect(noticesOf(events)).toEqual([]);
  });

  it("lets a configuration error pass", async () => {
    const error = new ConfigurationError("invalid_option", "No.");
    const { client, failure } = playRetry([fail(error)], { retryOn: () => true }, { streamed });
    expect(await failure()).toBe(error);
    expect(client.requests).toHaveLength(1);
  });

  it("lets the failure of a handler inside pass", async () => {
    const broken = chatMiddleware("broken", () => Promise.reject(new Error("mine")));
    const { client, failure } = playRetry([], { retryOn: () => true }, { streamed }, [broken]);
    expect(await failure()).toBeInstanceOf(MiddlewareError);
    expect(client.requests).toHaveLength(0);
  });

  it("asks again after an attempt that took too long, when a handler inside says so", async () => {
    let hung = true;
    const impatient = chatMiddleware("impatient", async (_context, next) => {
      if (!hung) return next();
      hung = false;
      throw new ChatClientError("timeout", "No answer.", { retryable: true });
    });
    const { finish } = playRetry(["Here."], {}, { streamed }, [impatient]);
    expect((await finish()).text).toBe("Here.");
  });

  it("never runs a tool again", async () => {
    let ran = 0;
    const act = tool({ name: "act", execute: () => `done ${++ran}` });
    const { client, finish } = playRetry(
      [{ calls: [{ name: "act" }] }, fail(), fail(), "Done."],
      {},
      { streamed, tools: [act] },
    );
    expect((await finish()).text).toBe("Done.");
    expect([ran, client.requests.length]).toEqual([1, 4]);
    // Each attempt saw the same.
    expect(client.requests[3]?.messages).toEqual(client.requests[1]?.messages);
  });

  it("counts the usage of the attempt that succeeded", async () => {
    const usage = { inputTokens: 3, outputTokens: 4 };
    const { finish } = playRetry([fail(), { text: "Here.", usage }], {}, { streamed });
    expect((await finish()).usage).toEqual(usage);
  });

  it("asks `retryOn` about each failure, with the number of the attempt", async () => {
    const asked: [string, number][] = [];
    const error = new ChatClientError("unknown", "Odd.");
    const { client, failure } = playRetry(
      [fail(error), fail(), fail(error)],
      {
        maxAttempts: 9,
        retryOn: async ({ code }, attempt) => {
          asked.push([code, attempt]);
          return attempt < 3;
        },
      },
      { streamed },
    );
    expect(await failure()).toBe(error);
    expect(client.requests).toHaveLength(3);
    expect(asked).toEqual([
      ["unknown", 1],
      ["overloaded", 2],
      ["unknown", 3],
    ]);
  });

  it("fails with the middleware's name where `retryOn` throws", async () => {
    const { failure } = playRetry(
      [fail()],
      {
        retryOn: () => {
          throw new Error("mine");
        },
      },
      { streamed },
    );
    expect(await failure()).toMatchObject({ middleware: "retry-model-calls" });
  });

  it("works around a bare client", async () => {
    const client = scripted("test", [fail(), "Here."]);
    const retrying = withMiddleware(client, [retryModelCalls({ initialDelayMs: 0 })]);
    const { messages } = await askBare(retrying, request(), streamed);
    expect(messages).toHaveLength(1);
    expect(client.requests).toHaveLength(2);
  });
});

describe("after something was streamed", () => {
  it("gives up with the error that came", async () => {
    const { client, events, failure } = playRetry([cut("Half an")], {}, { streamed: true });
    expect(await failure()).toMatchObject({ code: "overloaded" });
    expect(client.requests).toHaveLength(1);
    expect(noticeTexts(events)[0]).toContain("something of the answer was streamed already");
  });

  it("asks again with `afterUpdates`, and takes back what was seen", async () => {
    const options = { afterUpdates: true };
    const { updates, finish } = playRetry([cut("Half an"), "Whole."], options, { streamed: true });
    expect((await finish()).text).toBe("Whole.");
    expect(updates.filter(({ type }) => type === "retract")).toHaveLength(1);
  });

  it("asks again where nobody streams: nobody has seen anything", async () => {
    const { finish } = playRetry([cut("Half an"), "Whole."]);
    expect((await finish()).text).toBe("Whole.");
  });
});

describe("the time of the run", () => {
  const limited = (maxDurationMs: number, options: RetryModelCallsOptions = {}) => {
    const client = scripted("test", [fail(), "Here."]);
    const middleware = [retryModelCalls({ ...exact, ...options })];
    return { client, ...play({ client, middleware, invocation: { maxDurationMs } }) };
  };

  it("is not waited away: what could not begin in time fails at once, with the error that came", async () => {
    const { environment, events, running } = limited(1000);
    const failed = rejection(running);
    await environment.advance(0);
    expect(await failed).toMatchObject({ code: "overloaded" });
    expect(environment.timers).toBe(0);
    expect(noticeTexts(events)[0]).toContain("the time of the run is over");
  });

  it("is used where there is enough of it", async () => {
    const { finish } = limited(1001);
    expect((await finish()).text).toBe("Here.");
  });

  it("holds for the runs inside, too", async () => {
    const client = scripted("inner", [fail(), "Here."]);
    const inner = new Agent({ client, name: "inner", middleware: [retryModelCalls(exact)] });
    const outer = scripted("outer", [
      { calls: [{ name: "inner", arguments: { task: "x" } }] },
      ".",
    ]);
    const { running, environment } = play({
      client: outer,
      tools: [inner.asTool({ description: "Does it." })],
      invocation: { maxDurationMs: 1000 },
    });
    await environment.advance(0);
    await running;
    expect(client.requests).toHaveLength(1);
  });
});

describe("an abort", () => {
  it.each(bothManners)(
    "ends the wait at once, with its reason, and leaves nothing ($manner)",
    async ({ streamed }) => {
      const controller = new AbortController();
      const { signal } = controller;
      const { client, environment, running } = playRetry([fail()], {}, { signal, streamed });
      await environment.advance(500);
      expect(environment.timers).toBe(1);
      const reason = new Error("changed my mind");
      const failed = rejection(running);
      controller.abort(reason);
      expect(await failed).toBe(reason);
      expect(environment.timers).toBe(0);
      expect(getEventListeners(signal, "abort")).toEqual([]);
      await environment.advance(100_000);
      expect(client.requests).toHaveLength(1);
    },
  );

  it("is not retried, also where its reason looks like a failure of the service", async () => {
    const controller = new AbortController();
    const reason = busy();
    const stop: ScriptedTurn = () => {
      controller.abort(reason);
      throw reason;
    };
    const { client, failure } = playRetry([stop, "Here."], {}, { signal: controller.signal });
    expect(await failure()).toBe(reason);
    expect(client.requests).toHaveLength(1);
  });

  it("of a bound further out ends the wait, too", async () => {
    const controller = new AbortController();
    const bound = chatMiddleware("bound", (_context, next) => next({ signal: controller.signal }));
    const client = scripted("test", [fail()]);
    const { environment, running } = play({ client, middleware: [bound, retryModelCalls(exact)] });
    await environment.advance(10);
    const failed = rejection(running);
    const reason = new ChatClientError("timeout", "Enough.");
    controller.abort(reason);
    expect(await failed).toBe(reason);
    expect(environment.timers).toBe(0);
    expect(client.requests).toHaveLength(1);
  });
});
