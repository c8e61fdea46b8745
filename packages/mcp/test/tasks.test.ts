import type { JsonObject } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { type McpToolsOptions, mcpTools, type StdioServer } from "../src/index.js";
import { linesAndModes, onlyResult, readable, runIn, scripted, testLog } from "./support/agents.js";
import { serverProgram } from "./support/everything.js";
import { newCountFile, type RawServer, rawServer, rawServerWith } from "./support/raw-server.js";

/** Pauses between questions take no time here; how long they would have been is kept. */
function hurry() {
  const pauses: number[] = [];
  const environment = {
    now: () => Date.now(),
    randomId: () => crypto.randomUUID(),
    setTimer(callback: () => void, ms: number) {
      if (ms <= 5000) pauses.push(ms);
      const timer = setTimeout(callback, ms <= 5000 ? 0 : ms);
      return () => clearTimeout(timer);
    },
  };
  return { pauses, environment };
}

/** A server with one tool that has to be a task. It tells of each request in its error output. */
function taskServer(states: readonly JsonObject[], result: JsonObject): StdioServer {
  return rawServerWith({ states: [...states], result }, (server, { states, result }) => {
    server.capabilities({ tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } });
    server.tools({ name: "long", execution: { taskSupport: "required" } });
    server.on("tools/call", (params) => {
      server.say(`create ${JSON.stringify(params)}`);
      return { task: { taskId: "t1", status: "working", pollInterval: 1 } };
    });
    server.on("tasks/get", (params) => {
      const state = states.length > 1 ? states.shift() : states[0];
      server.say(`get ${JSON.stringify(params)}`);
      return state;
    });
    server.on("tasks/result", () => {
      server.say("result");
      return result;
    });
    server.on("tasks/cancel", (params) => {
      server.say(`cancel ${JSON.stringify(params)}`);
      return { taskId: "t1", status: "cancelled" };
    });
  });
}

const done = { content: [{ type: "text", text: "done" }] };
const working = { taskId: "t1", status: "working", statusMessage: "at it" };
const completed = { taskId: "t1", status: "completed" };

describe.each([1, 2] as const)("calls that run as tasks, line %i of the SDK", (sdk) => {
  async function call(target: StdioServer, options: McpToolsOptions = {}, lastWord?: string) {
    const { pauses, environment } = hurry();
    const log = testLog();
    await using mcp = mcpTools(target, { name: "h", sdk, onLog: log.onLog, ...options });
    const { agent } = scripted([["h_long", { a: 1 }]], { contextProviders: [mcp], environment });
    const shown: unknown[] = [];
    const response = await agent.run("go", {
      onUpdate(update) {
        if (update.type === "progress") shown.push(update.contents?.[0]);
      },
    });
    const result = onlyResult(response);
    // What a process says beside the protocol comes when it comes.
    if (lastWord !== undefined) await log.seen(lastWord);
    const said = log.entries.filter(({ logger }) => logger === "stderr").map(({ data }) => data);
    return { result, text: readable(result), shown: JSON.stringify(shown), said, pauses };
  }

  it("creates once, asks until it is over, and fetches the result", async () => {
    const target = taskServer([working, { ...working, pollInterval: 60_000 }, completed], done);
    const { text, shown, said, pauses } = await call(
      target,
      { tasks: { ttlMs: 90_000 } },
      "result",
    );
    expect(text).toBe("done");
    expect(said[0]).toContain('"task":{"ttl":90000}');
    expect(said[0]).toContain('"arguments":{"a":1}');
    expect(said.slice(1)).toEqual([
      'get {"taskId":"t1"}',
      'get {"taskId":"t1"}',
      'get {"taskId":"t1"}',
      "result",
    ]);
    expect(shown).toContain("at it");
    // What the server proposes is held to 0.5 to 5 seconds; 1 second where it proposes nothing.
    expect(pauses).toEqual([500, 1000, 5000]);
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    ["failed", { taskId: "t1", status: "failed", statusMessage: "no tide" }, done, "no tide"],
    [
      "failed, with a result that says so",
      { taskId: "t1", status: "failed" },
      { ...done, isError: true },
      "done",
    ],
    ["cancelled by the server", { taskId: "t1", status: "cancelled" }, done, "cancelled the task"],
    ["told of in a way that makes no sense", { status: "somehow" }, done, "makes no sense"],
    ["done, but in vain", completed, { ...done, isError: true }, "done"],
  ])("is a failure where the task has %s", async (_how, state, outcome, text) => {
    const told = await call(taskServer([state], outcome));
    expect(told.result.isError).toBe(true);
    expect(told.text).toContain(text);
  });

  it("fetches the result of a task that needs input: what it asks comes meanwhile", async () => {
    const target = taskServer([{ taskId: "t1", status: "input_required" }], done);
    const { text, said } = await call(target, {}, "result");
    expect(text).toBe("done");
    expect(said.at(-1)).toBe("result");
  });

  it("takes a result that is there already", async () => {
    const target = rawServer((server) => {
      server.capabilities({ tools: {}, tasks: { requests: { tools: { call: {} } } } });
      server.tools({ name: "long", execution: { taskSupport: "required" } });
      server.on("tools/call", () => server.text("at once"));
    });
    expect((await call(target)).text).toBe("at once");
  });

  it.each([-32601, -32602])("calls as usual where the server refuses a task (%i)", async (code) => {
    const target = rawServerWith({ code }, (server, { code }) => {
      server.capabilities({ tools: {}, tasks: { requests: { tools: { call: {} } } } });
      server.tools({ name: "long", execution: { taskSupport: "required" } });
      server.on("tools/call", (params, id) =>
        "task" in params ? server.error(id, code, "no tasks") : server.text("plain"),
      );
    });
    expect((await call(target)).text).toBe("plain");
  });

  const tasks = { requests: { tools: { call: {} } } };

  it.each<[string, { taskSupport: string; capabilities: object }, McpToolsOptions]>([
    ["the tool", { taskSupport: "optional", capabilities: { tools: {}, tasks } }, {}],
    [
      "the options",
      { taskSupport: "required", capabilities: { tools: {}, tasks } },
      { tasks: false },
    ],
    ["the server", { taskSupport: "required", capabilities: { tools: {} } }, {}],
  ])("is no task where %s says otherwise", async (_who, given, options) => {
    const target = rawServerWith(given, (server, { taskSupport, capabilities }) => {
      server.capabilities(capabilities);
      server.tools({ name: "long", execution: { taskSupport } });
      server.on("tools/call", (params) => server.text(String("task" in params)));
    });
    expect((await call(target, options)).text).toBe("false");
  });

  it.each([true, false])(
    "cancels the task when the run is aborted (option: %s)",
    async (cancel) => {
      const log = testLog();
      const { environment } = hurry();
      const target = taskServer([working], done);
      await using mcp = mcpTools(target, { name: "h", sdk, onLog: log.onLog, tasks: { cancel } });
      const { agent } = scripted([["h_long"]], { contextProviders: [mcp], environment });
      const controller = new AbortController();
      const running = agent.run("go", { signal: controller.signal });
      await log.seen("get ");
      controller.abort(new Error("enough"));
      await expect(running).rejects.toThrow("enough");
      if (cancel) await log.seen('cancel {"taskId":"t1"}'.replaceAll('"', '\\"'));
      // The connection goes on; another question is answered after everything that was sent before.
      await mcp.list("prompts");
      const client = await mcp.connect();
      expect(client.tools).toHaveLength(1);
      const said = log.entries.filter(({ data }) => String(data).startsWith("cancel"));
      expect(said).toHaveLength(cancel ? 1 : 0);
    },
  );

  it("cancels what is created after the run was aborted", async () => {
    const log = testLog();
    const target = rawServer((server) => {
      let creating = 0;
      server.capabilities({
        tools: {},
        resources: {},
        tasks: { requests: { tools: { call: {} } } },
      });
      server.tools({ name: "long", execution: { taskSupport: "required" } });
      server.on("tools/call", (_params, id) => {
        creating = id;
        server.say("create");
      });
      server.on("resources/read", () => {
        server.result(creating, { task: { taskId: "t2", status: "working" } });
        return { contents: [] };
      });
      server.on("tasks/cancel", (params) => server.say(`cancel ${JSON.stringify(params)}`));
      server.on("tasks/get", () => server.say("get"));
    });
    await using mcp = mcpTools(target, { name: "h", sdk, onLog: log.onLog });
    const { agent } = scripted([["h_long"]], { contextProviders: [mcp] });
    const controller = new AbortController();
    const running = agent.run("go", { signal: controller.signal });
    await log.seen("create");
    controller.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    await mcp.resource("now://");
    await log.seen('cancel {"taskId":"t2"}'.replaceAll('"', '\\"'));
    expect(log.entries.filter(({ data }) => /^(cancel|get)/.test(String(data)))).toHaveLength(1);
  });

  it.each<[string, "creating" | "asking", "gone" | "ending"]>([
    ["creating it", "creating", "gone"],
    ["asking after it, which the next one does not know", "asking", "gone"],
    ["asking after it, and again", "asking", "ending"],
  ])("breaks while %s: not done again, and may have run", async (_what, when, later) => {
    const script = (server: RawServer, given: { when: string; later: string }): void => {
      server.capabilities({ tools: {}, tasks: { requests: { tools: { call: {} } } } });
      server.tools({ name: "long", execution: { taskSupport: "required" } });
      server.on("tools/call", () => {
        server.say("create");
        if (given.when === "creating") process.exit(1);
        return { task: { taskId: "t1", status: "working" } };
      });
      const { starts } = server;
      server.on("tasks/get", (_params, id) => {
        if (starts === 0 || given.later === "ending") process.exit(1);
        server.error(id, -32602, "no such task");
      });
    };
    const target = rawServerWith({ when, later }, script, newCountFile());
    const { result, text, said } = await call(target, { repeatableTools: ["long"] }, "create");
    expect(result.error?.code).toBe("mcp_connection_lost");
    expect(text).toContain("may or may not have had an effect");
    expect(said.filter((line) => line === "create")).toHaveLength(1);
  });

  it("goes on asking over a new connection after a break", async () => {
    const target = rawServer((server) => {
      server.capabilities({ tools: {}, tasks: { requests: { tools: { call: {} } } } });
      const { starts } = server;
      server.tools({ name: "long", execution: { taskSupport: "required" } });
      server.on("tools/call", () => ({ task: { taskId: "t1", status: "working" } }));
      server.on("tasks/get", () => {
        if (starts === 0) process.exit(1);
        return { taskId: "t1", status: "completed" };
      });
      server.on("tasks/result", () => server.text(`after ${starts}`));
    }, newCountFile());
    expect((await call(target)).text).toMatch(/^after [1-9]/);
  });
});

// At the same time: the server takes its time, and nothing else does.
describe.concurrent.each(linesAndModes)(
  "a task of server-everything, line $sdk of the SDK, $mode",
  ({ sdk, mode }) => {
    it("is followed to its end", async () => {
      const { environment } = hurry();
      const target = { command: process.execPath, args: [serverProgram("everything")] };
      await using mcp = mcpTools(target, { name: "all", sdk });
      const { agent } = scripted([["all_simulate-research-query", { topic: "tides" }]], {
        contextProviders: [mcp],
        environment,
      });
      const shown: string[] = [];
      const response = await runIn(mode, agent, "go", {}, (update) => {
        if (update.type === "progress") shown.push(JSON.stringify(update.contents));
      });
      expect(readable(onlyResult(response))).toContain("# Research Report: tides");
      if (mode === "streamed") expect(shown.join()).toContain("Synthesizing findings");
    });
  },
);
