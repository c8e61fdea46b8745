import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import {
  linesAndModes,
  onlyResult,
  readable,
  resultsOf,
  runIn,
  scripted,
  testLog,
} from "./support/agents.js";
import { rawServer } from "./support/raw-server.js";

describe.each(linesAndModes)("a server at fault, line $sdk of the SDK, $mode", ({ sdk, mode }) => {
  it("answers a call that was cancelled: nobody else gets that answer", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "hang" }, { name: "go" });
      let hanging = -1;
      server.on("tools/call", ({ name }, id) => {
        if (name === "hang") {
          hanging = id;
          return server.say("hanging");
        }
        server.result(hanging, server.text("late"));
        return server.text("in time");
      });
      server.on("notifications/cancelled", () => server.say("cancelled"));
    });
    const log = testLog();
    await using mcp = mcpTools(target, { name: "s", sdk, onLog: log.onLog });
    const controller = new AbortController();
    const { agent } = scripted([["s_hang"]], { contextProviders: [mcp] });
    const running = runIn(mode, agent, "go", { signal: controller.signal });
    await log.seen("hanging");
    controller.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    await log.seen("cancelled");
    const { agent: next } = scripted([["s_go"], ["s_go"]], { contextProviders: [mcp] });
    expect(resultsOf((await runIn(mode, next, "go")).messages).map(readable)).toEqual([
      "in time",
      "in time",
    ]);
  });

  it("answers twice, and under ids that nobody has asked with: each call has its own answer", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "go" });
      server.on("tools/call", ({ arguments: args }, id) => {
        server.result(id + 1000, server.text("nobody's"));
        server.send({ id: `${id}`, result: server.text("of a text as id") });
        server.send({ id: null, error: { code: -32700, message: "no id" } });
        server.result(id, server.text(`first ${args["n"]}`));
        server.result(id, server.text("second"));
      });
    });
    await using mcp = mcpTools(target, { name: "s", sdk, onLog: testLog().onLog });
    const calls = [1, 2, 3].map((n) => ({ name: "s_go", arguments: { n } }));
    const { agent } = scripted([], { contextProviders: [mcp] }, [{ calls }, "done"]);
    const results = resultsOf((await runIn(mode, agent, "go")).messages).map(readable);
    // The second line of the SDK takes a text of digits for the id that it is.
    const allowed = [/^first \d$/, /^of a text as id$/];
    for (const result of results) expect(allowed.some((each) => each.test(result))).toBe(true);
    expect(results).not.toContain("nobody's");
    expect(results).not.toContain("second");
  });

  it("hangs: to close does not wait for it, and the call ends", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "hang" });
      server.on("tools/call", () => server.say(`hanging ${process.pid}`));
      process.on("SIGTERM", () => undefined);
    });
    const log = testLog();
    const mcp = mcpTools(target, { name: "s", sdk, onLog: log.onLog });
    const { agent } = scripted([["s_hang"]], { contextProviders: [mcp] });
    const running = runIn(mode, agent, "go");
    await log.seen("hanging");
    await mcp.close();
    expect(onlyResult(await running).isError).toBe(true);
    const pid = log.entries.flatMap(({ data }) => /^hanging (\d+)$/.exec(String(data))?.[1] ?? []);
    expect(() => process.kill(Number(pid[0]), 0)).toThrow();
  });

  it("ends with several calls under way: each of them is told", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "go" });
      let calls = 0;
      server.on("tools/call", () => {
        calls += 1;
        if (calls === 5) process.exit(1);
      });
    });
    await using mcp = mcpTools(target, { name: "s", sdk });
    const calls = Array.from({ length: 5 }, () => ({ name: "s_go", arguments: {} }));
    const { agent } = scripted([], { contextProviders: [mcp] }, [{ calls }, "done"]);
    const results = resultsOf((await runIn(mode, agent, "go")).messages);
    expect(results.map(({ error }) => error?.code)).toEqual(
      Array.from({ length: 5 }, () => "mcp_connection_lost"),
    );
  });

  it("never has the same tools: each round has those that were listed then, and the run ends", async () => {
    const target = rawServer((server) => {
      let lists = 0;
      server.on("tools/list", () => {
        lists += 1;
        return {
          tools: ["go", `only-${lists}`].map((name) => ({ name, inputSchema: { type: "object" } })),
        };
      });
      server.on("tools/call", () => {
        for (let time = 0; time < 20; time++) server.notify("notifications/tools/list_changed");
        return server.text("went");
      });
    });
    await using mcp = mcpTools(target, { name: "s", sdk });
    const { agent, client } = scripted(
      Array.from({ length: 5 }, () => ["s_go"] as const),
      { contextProviders: [mcp] },
    );
    const { messages, text } = await runIn(mode, agent, "go");
    expect(text).toBe("done");
    expect(resultsOf(messages).map(readable)).toEqual(Array.from({ length: 5 }, () => "went"));
    for (const { options } of client.requests) {
      const names = options.tools?.map(({ name }) => name) ?? [];
      expect(names).toEqual(["s_go", expect.stringMatching(/^s_only-\d+$/)]);
    }
  });
});
