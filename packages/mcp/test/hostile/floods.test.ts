import { describe, expect, it } from "vitest";
import { limitedLog } from "../../src/client/log-limit.js";
import { mcpTools } from "../../src/index.js";
import { readable, resultsOf, scripted, testLog } from "../support/agents.js";
import { rawServer } from "../support/raw-server.js";

describe("a server that floods", () => {
  it("the log is cut off, and the call has its result", async () => {
    const log = testLog();
    await using mcp = mcpTools(
      rawServer((server) => {
        server.tools({ name: "go" });
        server.on("tools/call", () => {
          for (let at = 0; at < 50_000; at++) {
            server.notify("notifications/message", { level: "error", data: `\u001b[31m${at}` });
          }
          return server.text("done");
        });
      }),
      { name: "s", onLog: log.onLog },
    );
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(result && readable(result)).toBe("done");
    // A flood may last some seconds, each of which has its two hundred.
    expect(log.entries.length).toBeLessThan(10_000);
    expect(log.entries.some(({ data }) => `${data}`.includes("more than 200 entries"))).toBe(true);
    expect(log.entries.filter(({ data }) => `${data}`.includes("\u001b"))).toEqual([]);
  });

  it("the log with loads, of which little is kept", async () => {
    const log = testLog();
    await using mcp = mcpTools(
      rawServer((server) => {
        server.tools({ name: "go" });
        server.on("tools/call", () => {
          const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
          const head =
            '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":';
          for (const data of [`"${"x".repeat(1_000_000)}"`, `["${"y".repeat(1_000_000)}"]`, deep]) {
            server.write(`${head}${data}}}\n`);
          }
          return server.text("done");
        });
      }),
      { name: "s", onLog: log.onLog },
    );
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    await agent.run("go");
    const loads = log.entries.filter(({ logger }) => logger === "server");
    expect(loads).toHaveLength(3);
    for (const { data } of loads) expect(JSON.stringify(data).length).toBeLessThan(3000);
  });

  it("progress: a consumer that is slow is shown the newest, and not all", async () => {
    await using mcp = mcpTools(
      rawServer((server) => {
        server.tools({ name: "go" });
        server.on("tools/call", ({ _meta }, id) => {
          const { progressToken } = _meta ?? {};
          for (let progress = 1; progress <= 20_000; progress++) {
            const message = `\u001b[2J${"x".repeat(progress === 1 ? 100_000 : 1)}${progress}`;
            server.notify("notifications/progress", { progressToken, progress, message });
          }
          server.result(id, server.text("done"));
        });
      }),
      { name: "s" },
    );
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    let shown = 0;
    let waiting = 0;
    let most = 0;
    const { messages } = await agent.run("go", {
      async onUpdate(update) {
        if (update.type !== "progress") return;
        shown += 1;
        waiting += 1;
        most = Math.max(most, waiting);
        const text = JSON.stringify(update);
        expect(text).not.toContain("\\u001b");
        expect(text.length).toBeLessThan(1000);
        await new Promise((resolve) => setImmediate(resolve));
        waiting -= 1;
      },
    });
    expect(resultsOf(messages).map(readable)).toEqual(["done"]);
    expect(shown).toBeGreaterThan(0);
    expect(most).toBe(1);
    expect(shown).toBeLessThan(5000);
  });

  it("changes of its list: it is read one after the other, and the run goes on", async () => {
    const log = testLog();
    await using mcp = mcpTools(
      rawServer((server) => {
        let lists = 0;
        server.on("tools/list", () => {
          lists += 1;
          // It changes again whenever somebody looks.
          server.notify("notifications/tools/list_changed");
          return { tools: [{ name: "go", inputSchema: { type: "object" } }] };
        });
        server.on("tools/call", () => {
          for (let at = 0; at < 10_000; at++) server.notify("notifications/tools/list_changed");
          return server.text(`${lists}`);
        });
      }),
      { name: "s", onLog: log.onLog },
    );
    const { agent } = scripted([["s_go"], ["s_go"]], { contextProviders: [mcp] });
    const lists = resultsOf((await agent.run("go")).messages).map((each) => Number(readable(each)));
    expect(lists).toHaveLength(2);
    // Ten thousand changes are a handful of lists.
    expect(lists[1]).toBeLessThan(100);
  });

  it("what is no protocol: it goes to the log, a hundred lines of it", async () => {
    const log = testLog();
    await using mcp = mcpTools(
      rawServer((server) => {
        server.tools({ name: "go" });
        server.on("tools/call", () => {
          for (let at = 0; at < 20_000; at++) server.write(`\u001b]0;noise ${at}\u0007\n`);
          server.write(`${JSON.stringify({ jsonrpc: "2.0", id: 999_999, result: {} })}\n`);
          server.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/unknown" })}\n`);
          return server.text("done");
        });
      }),
      { name: "s", onLog: log.onLog },
    );
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(result && readable(result)).toBe("done");
    const noise = log.entries.filter(({ logger }) => logger === "stdout");
    expect(noise).toHaveLength(101);
    expect(noise.some(({ data }) => `${data}`.includes("\u001b"))).toBe(false);
  });
});

describe("limitedLog", () => {
  it("takes two hundred entries a second, and says once that there were more", () => {
    const entries: unknown[] = [];
    let time = 0;
    const log = limitedLog(
      ({ data }) => void entries.push(data),
      () => time,
    );
    const flood = () => {
      for (let at = 0; at < 1000; at++) log({ level: "info", logger: "server", data: at });
    };
    flood();
    expect(entries).toHaveLength(201);
    expect(entries.at(-1)).toContain("more than 200 entries");
    time = 999;
    flood();
    expect(entries).toHaveLength(201);
    time = 1000;
    flood();
    expect(entries).toHaveLength(402);
  });
});
