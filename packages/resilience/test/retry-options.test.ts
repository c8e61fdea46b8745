import { Agent, ConfigurationError, tool } from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { retryBudget, retryModelCalls } from "../src/index.js";
import { busy, noticesOf, noticeTexts, play, scripted } from "./support.js";

const exact = { jitter: 0 } as const;
const fail = (): ScriptedTurn => ({ error: busy() });
const alwaysBusy = () => new ScriptedChatClient(fail);

describe("the budget of retries", () => {
  it("is ten for all model calls of a run together, if nobody says otherwise", async () => {
    const turns = Array.from(
      { length: 40 },
      (_, index): ScriptedTurn => (index % 3 === 2 ? { calls: [{ name: "step" }] } : fail()),
    );
    const step = tool({ name: "step", execute: () => "ok" });
    const client = scripted("test", turns);
    const { events, failure } = play({
      client,
      middleware: [retryModelCalls(exact)],
      tools: [step],
    });
    expect(await failure()).toMatchObject({ code: "overloaded" });
    expect(noticesOf(events).filter((code) => code === "model_call_retried")).toHaveLength(10);
    expect(client.requests).toHaveLength(5 * 3 + 1);
    expect(noticeTexts(events).at(-1)).toContain("used up its retries (10)");
  });

  it("adds up where layers stand around each other, and does not multiply", async () => {
    const client = alwaysBusy();
    const middleware = ["a", "b", "c", "d"].map((name) =>
      retryModelCalls({ ...exact, name, maxAttempts: 10 }),
    );
    await play({ client, middleware }).failure();
    expect(client.requests).toHaveLength(11);
  });

  it("is shared with the runs inside", async () => {
    const client = alwaysBusy();
    const middleware = [retryModelCalls({ ...exact, maxAttempts: 8 })];
    const inner = new Agent({ client, name: "inner", middleware });
    const turns = Array.from({ length: 3 }, () => ({
      calls: [{ name: "inner", arguments: { task: "x" } }],
    }));
    await play({
      client: scripted("outer", [...turns, "."]),
      tools: [inner.asTool({ description: "Does it." })],
      invocation: { maxConsecutiveErrors: 9 },
    }).finish();
    expect(client.requests).toHaveLength(10 + 3);
  });

  it("can be another one, shared by those that are given it", async () => {
    const budget = retryBudget({ maxRetries: 3 });
    const client = alwaysBusy();
    const middleware = ["a", "b"].map((name) =>
      retryModelCalls({ ...exact, name, maxAttempts: 10, budget }),
    );
    const agent = { client, middleware };
    await play(agent).failure();
    expect(client.requests).toHaveLength(4);
    // The object holds no count: the next run has its own.
    await play(agent).failure();
    expect(client.requests).toHaveLength(8);
  });

  it("can be none at all, or without a limit", async () => {
    const client = alwaysBusy();
    const options = { ...exact, maxAttempts: 30 };
    const none = retryModelCalls({ ...options, budget: retryBudget({ maxRetries: 0 }) });
    await play({ client, middleware: [none] }).failure();
    expect(client.requests).toHaveLength(1);
    const all = retryModelCalls({ ...options, budget: retryBudget({ maxRetries: Infinity }) });
    await play({ client, middleware: [all] }).failure();
    expect(client.requests).toHaveLength(31);
  });

  it("is each run's own, on one object at the same time", async () => {
    const client = alwaysBusy();
    const retry = retryModelCalls({ ...exact, maxAttempts: 4 });
    await Promise.all(
      Array.from({ length: 20 }, () => play({ client, middleware: [retry] }).failure()),
    );
    expect(client.requests).toHaveLength(80);
  });
});

describe("options", () => {
  it.each<[object, string]>([
    [{ maxAttemps: 3 }, 'did you mean "maxAttempts"'],
    [{ maxAttempts: 0 }, "maxAttempts must be a whole number of at least 1; got 0"],
    [{ maxAttempts: 1.5 }, "maxAttempts"],
    [{ maxAttempts: Number.NaN }, "maxAttempts"],
    [{ initialDelayMs: -1 }, "initialDelayMs must be a number from 0 to 2147483647"],
    [{ initialDelayMs: "1s" }, 'got "1s"'],
    [{ factor: 0.5 }, "factor"],
    [{ factor: Infinity }, "factor"],
    // Node fires such a timer at once.
    [{ maxDelayMs: 2 ** 31 }, "maxDelayMs"],
    [{ maxRetryAfterMs: Infinity }, "maxRetryAfterMs"],
    [{ jitter: 2 }, "jitter"],
    [{ jitter: "half" }, "jitter"],
    [{ retryOn: true }, "retryOn must be a function"],
    [{ random: 0.5 }, "random must be a function"],
    [{ afterUpdates: "yes" }, "afterUpdates must be true or false"],
    [{ budget: { maxRetries: 3 } }, "budget must be what retryBudget"],
  ])("such as %o are refused when the middleware is made", (options, message) => {
    expect(() => retryModelCalls(options)).toThrow(ConfigurationError);
    expect(() => retryModelCalls(options)).toThrow(message);
  });

  it.each([{}, { maxRetries: -1 }, { maxRetries: 0.5 }, { maxRetries: 1, max: 2 }])(
    "of a budget such as %o are refused",
    (options) => {
      expect(() => retryBudget(options as { maxRetries: number })).toThrow(ConfigurationError);
    },
  );
});
