import { Agent, AgentSession, checkHistory, foldUpdates, tool, type Update } from "@tunic/core";
import {
  type ManualEnvironment,
  manualEnvironment,
  ScriptedChatClient,
  type ScriptedTurn,
} from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { outline, resultTexts } from "./support/outline.js";
import { deferred, expectFold } from "./support/play.js";
import { lamp, lampIn } from "./support/tools.js";

const outOfTime =
  "assistant: The run reached its limit (maxDurationMs) before there was a final answer.";

/** A tool that takes as long as it is told, on the manual clock. */
function sleeper(environment: ManualEnvironment) {
  return tool({
    name: "sleep",
    parameters: { type: "object", properties: { ms: { type: "number" } }, required: ["ms"] },
    execute: ({ ms }) =>
      new Promise<string>((resolve) => {
        environment.setTimer(() => resolve(`slept ${ms}`), ms);
      }),
  });
}

async function timedAgent(turns: readonly ScriptedTurn[], delayMs = 0) {
  const environment = manualEnvironment();
  const client = new ScriptedChatClient(turns, { environment, delayMs, chunkSize: 4 });
  const agent = new Agent({
    client,
    environment,
    tools: [sleeper(environment), lamp],
    invocation: { maxDurationMs: 100 },
  });
  // Compiles the schemas: loading the compiler is real time, not this clock's.
  await agent.prepare();
  return { agent, client, environment };
}

const sleep = (ms: number) => ({ name: "sleep", arguments: { ms } });

describe.each([
  { manner: "whole", streamed: false },
  { manner: "streamed", streamed: true },
])("maxDurationMs ($manner)", ({ streamed }) => {
  function start(agent: Agent, session?: AgentSession) {
    const updates: Update[] = [];
    const running = agent.run("go", {
      ...(session && { session }),
      ...(streamed && { onUpdate: (update: Update) => void updates.push(update) }),
    });
    const checked = running.then((response) => {
      expect(checkHistory(response.newMessages)).toEqual([]);
      if (streamed) expectFold(updates, response);
      return response;
    });
    return { running: checked, updates };
  }

  it("is up in the middle of an answer: nothing of it is kept, and no closing call is made", async () => {
    const { agent, client, environment } = await timedAgent([{ text: "a long answer" }], 60);
    const { running, updates } = start(agent);
    await environment.advance(100);
    const response = await running;
    expect(outline(response.messages)).toEqual([outOfTime]);
    expect(response).toMatchObject({ outcome: "limit", limit: "maxDurationMs" });
    expect(client.requests).toHaveLength(1);
    expect(environment.timers).toBe(0);
    if (!streamed) return;
    expect(updates.map((update) => update.type)).toEqual(["delta", "retract", "delta", "finish"]);
  });

  it("is up while tools run: results that are there stay, the others say so", async () => {
    const { agent, client, environment } = await timedAgent([
      { calls: [sleep(40), sleep(500), lampIn("hall")] },
    ]);
    const { running } = start(agent);
    await environment.advance(100);
    const response = await running;
    expect(outline(response.messages).slice(1)).toEqual([
      "tool: slept 40 | !Error: interrupted: may or may not have run. | hall lit",
      outOfTime,
    ]);
    expect(client.requests).toHaveLength(1);
  });

  it("calls that had not started by then are told apart from those that had", async () => {
    const { client, environment } = await timedAgent([]);
    const agent = new Agent({
      client: new ScriptedChatClient([{ calls: [sleep(500), sleep(500)] }]),
      environment,
      tools: sleeper(environment),
      invocation: { maxDurationMs: 100, maxConcurrency: 1 },
    });
    await agent.prepare();
    const { running } = start(agent);
    await environment.advance(100);
    expect(resultTexts((await running).messages)).toEqual([
      "Error: interrupted: may or may not have run.",
      "Error: not run: the run was interrupted before.",
    ]);
    expect(client.requests).toHaveLength(0);
  });

  it("that is not up yet stops nothing, and leaves no timer", async () => {
    const { agent, environment } = await timedAgent([{ calls: [sleep(90)] }, "done"]);
    const { running } = start(agent);
    await environment.advance(99);
    expect(await running).toMatchObject({ outcome: "completed", text: "done" });
    expect(environment.timers).toBe(0);
  });

  it("leaves a session that goes on", async () => {
    const { agent, client, environment } = await timedAgent([{ calls: [sleep(500)] }, "hello"]);
    const session = new AgentSession();
    const { running } = start(agent, session);
    await environment.advance(100);
    await running;
    expect(checkHistory(session.messages)).toEqual([]);
    expect((await agent.run("again", { session })).text).toBe("hello");
    expect(outline(client.requests[1]?.messages ?? [])).toHaveLength(5);
  });

  it("stops a run inside the run, too", async () => {
    const { agent: child, environment } = await timedAgent([{ calls: [sleep(500)] }]);
    const signals: AbortSignal[] = [];
    const delegate = tool({
      name: "delegate",
      execute: async (_input, { run, signal }) => {
        signals.push(signal);
        return (await child.run("t", { parent: run, invocation: { maxDurationMs: 10_000 } })).text;
      },
    });
    const agent = new Agent({
      client: new ScriptedChatClient([{ calls: [{ name: "delegate" }] }]),
      environment,
      tools: delegate,
      invocation: { maxDurationMs: 50 },
    });
    await agent.prepare();
    const { running } = start(agent);
    await environment.advance(50);
    expect((await running).limit).toBe("maxDurationMs");
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
  });
});

describe("maxDurationMs and a slow consumer", () => {
  it("time in which the consumer was waited for does not count", async () => {
    const { agent, environment } = await timedAgent([{ calls: [sleep(30)] }, "done"]);
    const running = agent.run("go", {
      onUpdate: () => new Promise<void>((resolve) => environment.setTimer(resolve, 60)),
    });
    await environment.advance(5000);
    expect(await running).toMatchObject({ outcome: "completed", text: "done" });
  });

  it("not even when one single update takes longer than the whole limit", async () => {
    const { agent, environment } = await timedAgent([{ calls: [sleep(30)] }, "done"]);
    const running = agent.run("go", {
      onUpdate: () => new Promise<void>((resolve) => environment.setTimer(resolve, 150)),
    });
    await environment.advance(10_000);
    expect(await running).toMatchObject({ outcome: "completed", text: "done" });
  });

  it("but the run's own time does, between the waits", async () => {
    const { agent, environment } = await timedAgent([{ calls: [sleep(500)] }, "done"]);
    const running = agent.run("go", {
      onUpdate: () => new Promise<void>((resolve) => environment.setTimer(resolve, 30)),
    });
    await environment.advance(5000);
    expect(await running).toMatchObject({ outcome: "limit", limit: "maxDurationMs" });
  });
});

it("nothing of an abandoned tool reaches the consumer once the run has settled", async () => {
  const environment = manualEnvironment();
  const go = deferred();
  const chatty = tool({
    name: "chatty",
    async execute(_input, context) {
      await go.promise;
      await context.reportProgress("still here");
    },
  });
  const agent = new Agent({
    client: new ScriptedChatClient([{ calls: [{ name: "chatty" }] }]),
    environment,
    tools: chatty,
    invocation: { maxDurationMs: 100 },
  });
  await agent.prepare();
  const updates: Update[] = [];
  const running = agent.run("go", { onUpdate: (update) => void updates.push(update) });
  await environment.advance(100);
  const response = await running;
  go.resolve();
  await environment.advance(1);
  expect(updates.filter((update) => update.type === "progress")).toEqual([]);
  expect(foldUpdates(updates).messages).toEqual(response.messages);
});

it("a clock that is set back does not make the time longer", async () => {
  const environment = manualEnvironment(1_000_000);
  let setBack = 0;
  const wallClock = { ...environment, now: () => environment.now() - setBack };
  const agent = new Agent({
    client: new ScriptedChatClient([{ calls: [sleep(1000)] }]),
    environment: wallClock,
    tools: sleeper(environment),
    invocation: { maxDurationMs: 100 },
  });
  await agent.prepare();
  const running = agent.run("go");
  await environment.advance(50);
  setBack = 500_000;
  await environment.advance(50);
  expect(await running).toMatchObject({ outcome: "limit", limit: "maxDurationMs" });
});

it("a limit of months is waited for in steps that a timer can take", async () => {
  const environment = manualEnvironment();
  const delays: number[] = [];
  const agent = new Agent({
    client: new ScriptedChatClient(["done"], { environment, delayMs: 2 ** 32 }),
    environment: {
      ...environment,
      setTimer(callback, ms) {
        delays.push(ms);
        return environment.setTimer(callback, ms);
      },
    },
    invocation: { maxDurationMs: 2 ** 32 - 1 },
  });
  const running = agent.run("go");
  await environment.advance(2 ** 32 - 2);
  await environment.advance(1);
  expect(await running).toMatchObject({ outcome: "limit", limit: "maxDurationMs" });
  expect(delays).toEqual([2 ** 31 - 1, 2 ** 31 - 1, 1]);
});
