import { readFile } from "node:fs/promises";
import { manualEnvironment } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted, testLog } from "./support/agents.js";
import { newCountFile, rawServer } from "./support/raw-server.js";

describe.each([1, 2] as const)("reported cases of connections, line %i of the SDK", (sdk) => {
  it("B60: a server that ends before the handshake is an error, with its last words", async () => {
    const target = rawServer((server) => {
      server.say("no key for the harbor");
      process.exit(3);
    });
    await using mcp = mcpTools(target, { name: "s", sdk });
    await expect(mcp.connect()).rejects.toMatchObject({
      code: "mcp_connect_failed",
      message: expect.stringContaining("no key for the harbor"),
    });
  });

  it("B60: a server that says nothing is given up in time, and leaves no process behind", async () => {
    const target = rawServer((server) => {
      server.on("initialize", () => undefined);
      server.say(`pid ${process.pid}`);
    });
    const log = testLog();
    await using mcp = mcpTools(target, { name: "s", sdk, connectTimeoutMs: 300, onLog: log.onLog });
    await expect(mcp.connect()).rejects.toMatchObject({ code: "mcp_timeout" });
    await mcp.close();
    const pids = log.entries.flatMap(({ data }) => /^pid (\d+)$/.exec(String(data))?.[1] ?? []);
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) expect(() => process.kill(Number(pid), 0)).toThrow();
  });

  it("B60: a call in flight when the server dies is told as such, and the next one reconnects", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "die" }, { name: "live" });
      server.on("tools/call", ({ name }) => {
        if (name === "die") process.exit(1);
        return server.text("alive");
      });
    });
    await using mcp = mcpTools(target, { name: "s", sdk });
    const { agent } = scripted([["s_die"], ["s_live"]], { contextProviders: [mcp] });
    const [died, lived] = resultsOf((await agent.run("go")).messages);
    expect(died?.error?.code).toBe("mcp_connection_lost");
    expect(died && readable(died)).toContain("may or may not have");
    expect(lived && readable(lived)).toBe("alive");
  });

  it("B60: what may run twice is tried once more; while idle a server may come and go", async () => {
    const count = newCountFile();
    const target = rawServer((server) => {
      server.tools({ name: "read" }, { name: "end" });
      server.on("tools/call", ({ name }) => {
        if (name === "end") {
          setImmediate(() => process.exit(0));
          return server.text("ended");
        }
        if (server.starts === 0) process.exit(1);
        return server.text(`read at start ${server.starts}`);
      });
    }, count);
    await using mcp = mcpTools(target, { name: "s", sdk, readOnlyTools: ["read"] });
    const { agent } = scripted([["s_read"], ["s_end"], ["s_read"]], { contextProviders: [mcp] });
    const results = resultsOf((await agent.run("go")).messages).map(readable);
    expect(results).toEqual(["read at start 1", "ended", "read at start 2"]);
  });

  it("B60: a server that dies at every start is left alone after a few", async () => {
    const count = newCountFile();
    const target = rawServer(() => process.exit(1), count);
    await using mcp = mcpTools(target, { name: "s", sdk });
    for (let time = 0; time < 8; time++) await expect(mcp.connect()).rejects.toThrow();
    // Three connections; the second line of the SDK asks for the revision first, and then without.
    expect(Number(await readFile(count, "utf8"))).toBe(sdk === 1 ? 3 : 6);
    await expect(mcp.connect()).rejects.toThrow("3 times in a row");
  });

  it("B60: to cancel one call leaves the server and its other calls alone", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "hang" }, { name: "go" });
      server.on("tools/call", ({ name }, id) => {
        if (name === "go") return server.text(`pid ${process.pid}`);
        return server.say(`hanging ${id}`);
      });
      server.on("notifications/cancelled", ({ requestId }) => server.say(`cancelled ${requestId}`));
    });
    const log = testLog();
    await using mcp = mcpTools(target, { name: "s", sdk, onLog: log.onLog });
    const { tools } = await mcp.connect();
    const go = tools.find(({ name }) => name === "s_go");
    const before = await go?.invoke({});
    const { agent } = scripted([["s_hang"]], { contextProviders: [mcp] });
    const controller = new AbortController();
    const running = agent.run("go", { signal: controller.signal });
    await log.seen("hanging");
    controller.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    await log.seen("cancelled");
    expect(await go?.invoke({})).toMatchObject({ contents: before?.contents });
  });

  it("B61: progress extends the time of a call, and is shown", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "long" }, { name: "step" });
      let steps = 0;
      let long = { id: 0, progressToken: 0 };
      server.on("tools/call", ({ name, _meta }, id) => {
        if (name === "long") {
          long = { id, progressToken: _meta?.progressToken ?? -1 };
          return server.say("begun");
        }
        steps += 1;
        const { progressToken } = long;
        if (steps > 5) server.result(long.id, server.text(`token ${progressToken}`));
        else {
          server.notify("notifications/progress", { progressToken: 999, progress: 9 });
          server.notify("notifications/progress", { progressToken, progress: steps, total: 5 });
        }
        return server.text("");
      });
    });
    const log = testLog();
    const environment = manualEnvironment();
    await using mcp = mcpTools(target, { name: "s", sdk, timeoutMs: 100, onLog: log.onLog });
    const { agent } = scripted([["s_long"]], { contextProviders: [mcp], environment });
    const step = (await mcp.connect()).tools.find(({ name }) => name === "s_step");
    const shown: string[] = [];
    const running = agent.run("go", {
      async onUpdate(update) {
        if (update.type !== "progress") return;
        shown.push((update.contents ?? []).map((each) => ("text" in each ? each.text : "")).join());
        // The next step comes after 80 of 100 milliseconds.
        await environment.advance(80);
        void step?.invoke({});
      },
    });
    await log.seen("begun");
    await step?.invoke({});
    const [result] = resultsOf((await running).messages);
    expect(result && readable(result)).toMatch(/^token \d+$/);
    expect(shown).toEqual(["1/5", "2/5", "3/5", "4/5", "5/5"]);
    expect(environment.timers).toBe(0);
  });

  it("B61: no progress extends it beyond the maximum; then the server hears of it", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "endless" }, { name: "step" });
      let progressToken = -1;
      server.on("tools/call", ({ name, _meta }) => {
        if (name === "step") {
          server.notify("notifications/progress", { progressToken, progress: 1 });
          return server.text("");
        }
        progressToken = _meta?.progressToken ?? -1;
        return server.say("begun");
      });
      server.on("notifications/cancelled", () => server.say("cancelled"));
    });
    const log = testLog();
    const environment = manualEnvironment();
    await using mcp = mcpTools(target, {
      name: "s",
      sdk,
      timeoutMs: 100,
      maxTotalTimeoutMs: 250,
      onLog: log.onLog,
    });
    const { agent } = scripted([["s_endless"]], { contextProviders: [mcp], environment });
    const step = (await mcp.connect()).tools.find(({ name }) => name === "s_step");
    const running = agent.run("go", {
      async onUpdate(update) {
        if (update.type !== "progress") return;
        await environment.advance(80);
        void step?.invoke({});
      },
    });
    await log.seen("begun");
    await step?.invoke({});
    const [result] = resultsOf((await running).messages);
    expect(result?.error?.code).toBe("tool_timeout");
    expect(result && readable(result)).toContain("250 ms in all");
    await log.seen("cancelled");
  });
});
