import {
  Agent,
  AgentSession,
  type RunEnvironment,
  type RunEvent,
  ToolRateLimitError,
  tool,
} from "@tunic/core";
import { manualEnvironment, ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { deferred, inBothManners, rejection, settled } from "./support/play.js";
import { lamp, lampIn, ping } from "./support/tools.js";

/** One event as a short line. */
function line(event: RunEvent): string {
  switch (event.type) {
    case "run.start":
      return `run.start ${event.messages.length} message(s)`;
    case "run.end":
      return `run.end ${event.outcome} after ${event.rounds} round(s), ${event.durationMs} ms`;
    case "model.start":
      return `model.start ${event.iteration}: ${event.messages.length} message(s)`;
    case "model.end":
      return `model.end ${event.iteration}: ${event.outcome}, ${event.durationMs} ms`;
    case "call.start":
      return `call.start ${event.iteration}: ${event.toolName} ${JSON.stringify(event.arguments)}`;
    case "call.end":
      return `call.end ${event.iteration}: ${event.toolName} ${event.outcome}, ${event.durationMs} ms`;
    default:
      return event.type;
  }
}

const sleeping = (environment: RunEnvironment) =>
  tool({
    name: "sleep",
    parameters: { type: "object", properties: { ms: { type: "number" } }, required: ["ms"] },
    execute: ({ ms }) =>
      new Promise<string>((resolve) => void environment.setTimer(() => resolve("ok"), ms)),
  });
const sleep = (ms: number) => ({ name: "sleep", arguments: { ms } });

describe("the events of a run", () => {
  it("with two rounds and parallel calls, in order and with their times", async () => {
    const environment = manualEnvironment();
    const turns = [{ text: "wait", calls: [sleep(30), sleep(10)] }, "done"];
    const client = new ScriptedChatClient(turns, { environment, delayMs: 5 });
    const agent = new Agent({ client, environment, tools: sleeping(environment) });
    await agent.prepare();
    const log: string[] = [];
    const run = agent.run("go", { onEvent: (event) => log.push(line(event)) });
    await environment.advance(100);
    await run;
    expect(log).toEqual([
      "run.start 1 message(s)",
      "model.start 1: 1 message(s)",
      "model.end 1: completed, 15 ms",
      'call.start 1: sleep {"ms":30}',
      'call.start 1: sleep {"ms":10}',
      "call.end 1: sleep completed, 10 ms",
      "call.end 1: sleep completed, 30 ms",
      "model.start 2: 3 message(s)",
      "model.end 2: completed, 5 ms",
      "run.end completed after 2 round(s), 50 ms",
    ]);
  });

  it("carry the ids of run, session and agent", async () => {
    const session = new AgentSession({ id: "s1" });
    const events: RunEvent[] = [];
    const client = new ScriptedChatClient([{ calls: [{ name: "ping" }] }, "done"]);
    const agent = new Agent({ client, id: "a1", name: "Ada", tools: ping });
    await agent.run("go", { session, onEvent: (event) => events.push(event) });
    expect(new Set(events.map((event) => event.runId)).size).toBe(1);
    for (const event of events) {
      expect(event).toMatchObject({ sessionId: "s1", agentId: "a1", agentName: "Ada" });
      expect(event).not.toHaveProperty("parentRunId");
    }
  });

  it("durations leave out the time that the consumer took, also within a call", async () => {
    const environment = manualEnvironment();
    const chatty = tool({
      name: "chatty",
      async execute(_input, context) {
        await context.reportProgress("half");
        await new Promise<void>((resolve) => environment.setTimer(resolve, 10));
      },
    });
    const turns = [{ calls: [{ name: "chatty" }] }, "done"];
    const client = new ScriptedChatClient(turns, { environment, delayMs: 5 });
    const agent = new Agent({ client, environment, tools: chatty });
    await agent.prepare();
    const log: string[] = [];
    const run = agent.run("go", {
      onUpdate: () => new Promise<void>((resolve) => environment.setTimer(resolve, 1000)),
      onEvent: (event) => log.push(line(event)),
    });
    await environment.advance(20_000);
    await run;
    expect(log.filter((each) => each.includes(" ms"))).toEqual([
      "model.end 1: completed, 5 ms",
      "call.end 1: chatty completed, 10 ms",
      "model.end 2: completed, 5 ms",
      "run.end completed after 2 round(s), 20 ms",
    ]);
  });
});

describe("what events tell", () => {
  inBothManners((play) => {
    it("call.end: outcome, attempts, bytes as stored, error code and what was thrown", async () => {
      const failure = new ToolRateLimitError("slow down");
      const busy = tool({ name: "busy", execute: () => Promise.reject(failure) });
      const { events } = await play({
        turns: [{ calls: [lampIn("Köln"), { name: "busy" }] }, "done"],
        agent: { tools: [lamp, busy] },
      });
      const [fast, slow] = events.filter((event) => event.type === "call.end");
      expect(fast).toMatchObject({ toolName: "lamp", outcome: "completed", attempts: 1 });
      expect(fast).not.toHaveProperty("errorCode");
      expect(fast?.bytes).toBe(Buffer.byteLength('[{"type":"text","text":"Köln lit"}]'));
      expect(slow).toMatchObject({
        outcome: "failed",
        attempts: 1,
        errorCode: "tool_rate_limit",
        error: failure,
      });
    });

    it("model.end: usage and reason; run.end: the sum and the transcript", async () => {
      const { events, response } = await play({
        turns: [
          { calls: [{ name: "ping" }], usage: { inputTokens: 1 } },
          { text: "done", usage: { inputTokens: 2 } },
        ],
        agent: { tools: ping },
      });
      const ends = events.filter((event) => event.type === "model.end");
      expect(ends).toMatchObject([
        { finishReason: "tool_calls", usage: { inputTokens: 1 } },
        { finishReason: "stop", usage: { inputTokens: 2 } },
      ]);
      expect(events.at(-1)).toMatchObject({
        type: "run.end",
        rounds: 2,
        usage: { inputTokens: 3 },
        transcript: response.messages,
      });
    });

    it("tools.changed: what came and went, and nothing when nothing did", async () => {
      const change = tool({
        name: "change",
        execute: (_input, context) => {
          context.addTools([lamp, ping]);
          context.addTools(lamp);
          context.removeTools(["ping", "nowhere"]);
          context.removeTools("nowhere");
        },
      });
      const { events } = await play({
        turns: [{ calls: [{ name: "change" }] }, "ok"],
        agent: { tools: change },
      });
      expect(events.filter((event) => event.type === "tools.changed")).toMatchObject([
        { added: ["lamp", "ping"], removed: [] },
        { added: [], removed: ["ping"] },
      ]);
    });

    it("notice: what went wrong and was not fatal", async () => {
      const odd = tool({
        name: "odd",
        execute: () => 1,
        parseResult: () => {
          throw new Error("no idea");
        },
      });
      const { events, response } = await play({
        turns: [{ calls: [{ name: "odd" }] }, "ok"],
        agent: { tools: odd },
      });
      expect(events.filter((event) => event.type === "notice")).toMatchObject([
        { code: "parse_result_failed", message: expect.stringMatching(/no idea/) },
      ]);
      expect(response.text).toBe("ok");
    });
  });

  it("run.end of a run that was aborted holds the transcript and the reason", async () => {
    const controller = new AbortController();
    const client = new ScriptedChatClient([
      { calls: [{ name: "ping" }] },
      () => {
        controller.abort("stop");
        return "late";
      },
    ]);
    const events: RunEvent[] = [];
    const agent = new Agent({ client, tools: ping });
    await rejection(
      agent.run("go", { signal: controller.signal, onEvent: (event) => events.push(event) }),
    );
    expect(events.at(-1)).toMatchObject({ type: "run.end", outcome: "aborted", error: "stop" });
    const { transcript } = events.findLast((event) => event.type === "run.end") ?? {};
    expect(transcript).toHaveLength(2);
  });

  it("call.abandoned: what came of a call after its run was over", async () => {
    const controller = new AbortController();
    const late = { good: deferred<string>(), bad: deferred<string>() };
    const good = tool({ name: "good", execute: () => late.good.promise });
    const bad = tool({ name: "bad", execute: () => late.bad.promise });
    const client = new ScriptedChatClient([{ calls: [{ name: "good" }, { name: "bad" }] }]);
    const agent = new Agent({ client, tools: [good, bad] });
    await agent.prepare();
    const abandoned: RunEvent[] = [];
    agent.events.on("call.abandoned", (event) => abandoned.push(event));
    const run = agent.run("go", { signal: controller.signal });
    await settled();
    controller.abort("stop");
    await rejection(run);
    expect(abandoned).toEqual([]);
    const error = new Error("after all");
    late.good.resolve("done");
    late.bad.reject(error);
    await settled();
    expect(abandoned).toMatchObject([
      { toolName: "good", outcome: "completed" },
      { toolName: "bad", outcome: "failed", error },
    ]);
  });
});

describe("listeners", () => {
  const turns = [{ calls: [{ name: "ping" }] }, "done"];

  it("hear of every run until they are taken off", async () => {
    const agent = new Agent({ client: new ScriptedChatClient([...turns, ...turns]), tools: ping });
    const heard: string[] = [];
    const off = agent.events.on("call.end", (event) => heard.push(event.toolName));
    await agent.run("a");
    off();
    off();
    await agent.run("b");
    expect(heard).toEqual(["ping"]);
  });

  it("that come in the middle of a call hear no end without its start", async () => {
    const heard: string[] = [];
    const listen = tool({
      name: "listen",
      execute: () => {
        agent.events.on("call.end", (event) => heard.push(event.toolName));
      },
    });
    const client = new ScriptedChatClient([
      { calls: [{ name: "listen" }] },
      { calls: [{ name: "ping" }] },
      "done",
    ]);
    const agent: Agent = new Agent({ client, tools: [listen, ping] });
    await agent.run("go");
    expect(heard).toEqual(["ping"]);
  });

  it("that throw or reject hurt nobody, and are told", async () => {
    const agent = new Agent({ client: new ScriptedChatClient(turns), tools: ping });
    const heard: string[] = [];
    const notices: string[] = [];
    agent.events.on("call.start", () => {
      throw new Error("first");
    });
    agent.events.on("call.start", () => Promise.reject(new Error("second")));
    agent.events.on("call.start", (event) => heard.push(event.toolName));
    agent.events.on("notice", (event) => notices.push(event.message));
    expect((await agent.run("go")).text).toBe("done");
    expect(heard).toEqual(["ping"]);
    expect(notices).toEqual([
      expect.stringMatching(/"call\.start" failed: first/),
      expect.stringMatching(/"call\.start" failed: second/),
    ]);
  });

  it("cost nothing where there are none: no time is read for events", async () => {
    const clock = async (rounds: number, listen: boolean): Promise<number> => {
      const environment = manualEnvironment();
      let reads = 0;
      const counting = {
        ...environment,
        now: () => {
          reads++;
          return 0;
        },
      };
      const call = { calls: [{ name: "ping" }, { name: "ping" }] };
      const script = [...Array.from({ length: rounds }, () => call), "done"];
      const agent = new Agent({
        client: new ScriptedChatClient(script),
        environment: counting,
        tools: ping,
      });
      await agent.run("go", listen ? { onEvent: () => {} } : {});
      return reads;
    };
    // A round adds two messages to the log, and each of them has its time; no call and no event has.
    expect((await clock(9, false)) - (await clock(4, false))).toBe(2 * 5);
    expect((await clock(9, true)) - (await clock(4, true))).toBe((2 + 2 + 4) * 5);
  });
});
