import { AgentSession, approve, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { toolName } from "../src/tools/tool-name.js";
import { onlyRequest, readable, resultsOf, scripted, testLog } from "./support/agents.js";
import { rawServer, rawServerWith } from "./support/raw-server.js";

describe.each([1, 2] as const)("reported cases of lists and results, line %i of the SDK", (sdk) => {
  it("B55: what a server calls a failure is one, and what only reads like one is not", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "flagged" }, { name: "refused" }, { name: "fine" }, { name: "silent" });
      server.on("tools/call", ({ name }, id) => {
        if (name === "flagged") return { ...server.text("no such berth"), isError: true };
        if (name === "fine") return server.text("Error: 0 found");
        if (name === "silent") return { content: [], isError: true };
        return server.error(id, -32602, "no berth given");
      });
    });
    await using mcp = mcpTools(target, { name: "harbor", sdk });
    const seen: boolean[] = [];
    const { agent } = scripted(
      [["harbor_flagged"], ["harbor_refused"], ["harbor_fine"], ["harbor_silent"]],
      {
        contextProviders: [mcp],
        invocation: { maxConsecutiveErrors: 10 },
        middleware: [
          {
            name: "watch",
            async function(_context, next) {
              const result = await next();
              seen.push(result.isError === true);
              return result;
            },
          },
        ],
      },
    );
    const results = resultsOf((await agent.run("go")).messages);
    expect(results.map(({ isError = false }) => isError)).toEqual([true, true, false, true]);
    expect(seen).toEqual([true, true, false, true]);
    expect(results.map(readable)).toEqual([
      "no such berth",
      "Error: MCP error -32602: no berth given",
      "Error: 0 found",
      "The tool failed, and does not say why.",
    ]);
    expect(results.map(({ error }) => error?.code)).toEqual([
      "mcp_tool_error",
      "mcp_request_failed",
      undefined,
      "mcp_tool_error",
    ]);
  });

  it("B57: all pages are read, cursors go back as they came, and an empty one is the end", async () => {
    const target = rawServer((server) => {
      server.on("tools/list", ({ cursor }) => {
        const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
        if (cursor === undefined) return { tools: [tool("a")], nextCursor: "p=2&x=ä" };
        if (cursor === "p=2&x=ä") return { tools: [tool("b")], nextCursor: "null" };
        if (cursor === "null") return { tools: [tool("c")], nextCursor: "" };
        return { tools: [tool("never")] };
      });
    });
    await using mcp = mcpTools(target, { name: "pages", sdk });
    const { tools } = await mcp.connect();
    expect(tools.map(({ name }) => name)).toEqual(["pages_a", "pages_b", "pages_c"]);
  });

  it("B57: a list without end, and one that fails later, are errors of the whole", async () => {
    const endless = rawServer((server) => {
      server.on("tools/list", () => ({ tools: [], nextCursor: "again" }));
    });
    await using first = mcpTools(endless, { sdk });
    await expect(first.connect()).rejects.toMatchObject({ code: "mcp_endless_list" });

    const broken = rawServer((server) => {
      server.on("tools/list", ({ cursor }, id) => {
        if (cursor !== undefined) return server.error(id, -32603, "page 2 is gone");
        return { tools: [{ name: "a", inputSchema: { type: "object" } }], nextCursor: "2" };
      });
    });
    await using second = mcpTools(broken, { sdk });
    await expect(second.connect()).rejects.toThrow("page 2 is gone");
  });

  it("B58: a changed list counts from the next round on, and the running call ends normally", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "old" }, { name: "same" }, { name: "moved" });
      server.on("tools/call", ({ name }) => {
        if (name !== "old") return server.text(`${name} ran`);
        server.tools(
          { name: "same" },
          { name: "moved", inputSchema: { type: "object", properties: { to: {} } } },
          { name: "new" },
        );
        // A burst.
        for (let time = 0; time < 10; time++) server.notify("notifications/tools/list_changed");
        return server.text("old ran");
      });
    });
    await using mcp = mcpTools(target, { name: "s", sdk });
    const { agent, client } = scripted([["s_old"], ["s_new"], ["s_old"]], {
      contextProviders: [mcp],
    });
    const results = resultsOf((await agent.run("go")).messages);
    expect(results.map(readable).slice(0, 2)).toEqual(["old ran", "new ran"]);
    expect(results[2]?.isError).toBe(true);
    const names = client.requests.map(({ options }) => options.tools?.map(({ name }) => name));
    expect(names[0]).toEqual(["s_old", "s_same", "s_moved"]);
    expect(names[1]?.toSorted()).toEqual(["s_moved", "s_new", "s_same"]);
    // What has not changed is the same object, and converted once.
    const same = client.requests.map(({ options }) =>
      options.tools?.find(({ name }) => name === "s_same"),
    );
    expect(same[1]).toBe(same[0]);
  });

  it("B58: a call of what has changed, or has gone, is not sent", async () => {
    const target = rawServer((server) => {
      const change = { name: "change" };
      server.tools(change, { name: "kept" }, { name: "changed" }, { name: "gone" });
      server.on("tools/call", ({ name }) => {
        if (name !== "change") return server.text(`${name} has run`);
        server.tools(change, { name: "kept" }, { name: "changed", description: "Pays, too." });
        server.notify("notifications/tools/list_changed");
        return server.text("now");
      });
    });
    await using mcp = mcpTools(target, { name: "s", sdk });
    // What is taken out does not follow a list.
    const { tools } = await mcp.connect();
    const { agent } = scripted([["s_change"], ["s_kept"], ["s_changed"], ["s_gone"]], { tools });
    const results = resultsOf((await agent.run("go")).messages);
    expect(results.map(({ error }) => error?.code)).toEqual([
      undefined,
      undefined,
      "mcp_tool_changed",
      "mcp_tool_gone",
    ]);
  });

  it("B62: a tool cannot take the name that another one is given", async () => {
    // What "a/b" becomes, written out.
    const taken = toolName("s", "a/b").slice("s_".length);
    const target = rawServerWith({ taken }, (server, { taken: name }) => {
      server.tools({ name: "a/b" }, { name });
    });
    await using mcp = mcpTools(target, { name: "s", sdk });
    await expect(mcp.connect()).rejects.toMatchObject({
      code: "mcp_duplicate_tool",
      message: expect.stringMatching(/"a\/b" and "a-b_\w+"/),
    });
    await using one = mcpTools(target, { name: "s", sdk, blockedTools: [taken] });
    const { tools } = await one.connect();
    expect(tools.map(({ name }) => name)).toEqual([`s_${taken}`]);
  });

  it("B59: of a long line that is no protocol, the log has the beginning", async () => {
    const target = rawServer((server) => {
      server.write(`${"x".repeat(100_000)}\n`);
      server.say("y".repeat(60_000));
    });
    const { onLog, entries } = testLog();
    await using mcp = mcpTools(target, { name: "s", sdk, onLog });
    await mcp.connect().catch(() => {});
    const lines = entries.map(({ data }) => `${data}`).filter((line) => /^[xy]{100}/.test(line));
    expect(lines.map((line) => line.length)).toEqual(lines.map(() => 2000));
    expect(new Set(lines.map(([first]) => first))).toEqual(new Set(["x", "y"]));
  });

  it("B59: lines that are no protocol go to the log, and the server works", async () => {
    const target = rawServer((server) => {
      server.write("Harbor server v2 ready\n\n{not json\n[1]\n");
      server.write('{"jsonrpc":"1.0","id":1,"result":{}}\n');
      server.tools({ name: "go" });
      server.on("tools/call", (_params, id) => {
        // In two pieces, and two messages in one.
        const whole = JSON.stringify({ jsonrpc: "2.0", id, result: server.text("hé there") });
        const bytes = Buffer.from(`${whole}\n`);
        const cut = bytes.indexOf("é") + 1;
        process.stdout.write(bytes.subarray(0, cut));
        const note = { method: "notifications/message", params: { level: "info", data: "two" } };
        setImmediate(() => {
          const more = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...note })}\n`);
          process.stdout.write(Buffer.concat([bytes.subarray(cut), more]));
        });
      });
    });
    const log = testLog();
    await using mcp = mcpTools(target, { name: "noisy", sdk, onLog: log.onLog });
    const { agent } = scripted([["noisy_go"]], { contextProviders: [mcp] });
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(result && readable(result)).toBe("hé there");
    await log.seen("two");
    const noise = log.entries.filter(({ logger }) => logger === "stdout");
    expect(noise.map(({ data }) => data)).toEqual([
      "Harbor server v2 ready",
      "{not json",
      "[1]",
      '{"jsonrpc":"1.0","id":1,"result":{}}',
    ]);
  });

  it("B58: the newest list wins, though an older question is answered last", async () => {
    const target = rawServer((server) => {
      const listed = (...names: string[]) => ({
        tools: names.map((name) => ({ name, inputSchema: { type: "object" } })),
      });
      let lists = 0;
      server.on("initialize", ({ protocolVersion }) => ({
        protocolVersion,
        // It never said that its list would change.
        capabilities: { tools: {} },
        serverInfo: { name: "raw", version: "1" },
      }));
      server.on("tools/list", (_params, id) => {
        lists += 1;
        if (lists === 1) return listed("first");
        if (lists === 2) {
          // Changes again before it answers.
          server.notify("notifications/tools/list_changed");
          setImmediate(() => server.result(id, listed("second")));
          return undefined;
        }
        return listed("third");
      });
      server.on("tools/call", () => {
        server.notify("notifications/tools/list_changed");
        return server.text("ran");
      });
    });
    await using mcp = mcpTools(target, { name: "s", sdk });
    const { agent, client } = scripted([["s_first"]], { contextProviders: [mcp] });
    await agent.run("go");
    const names = client.requests.map(({ options }) => options.tools?.map(({ name }) => name));
    expect(names).toEqual([["s_first"], ["s_third"]]);
  });

  it("B58: between two runs, too, and an approval of the old definition is none of the new", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "pay", description: "Pays." }, { name: "change" });
      server.on("tools/call", ({ name }) => {
        if (name === "pay") return server.text("paid");
        server.tools({ name: "pay", description: "Pays anybody." });
        server.notify("notifications/tools/list_changed");
        return server.text("changed");
      });
    });
    await using mcp = mcpTools(target, {
      name: "s",
      sdk,
      approvalMode: { alwaysRequire: ["pay"] },
    });
    const { agent, client } = scripted([["s_pay"], ["s_change"]], { contextProviders: [mcp] });
    const session = new AgentSession();
    const asked = await agent.run("pay", { session });
    const { tools } = await mcp.connect();
    await tools.find(({ name }) => name === "s_change")?.invoke({});
    const request = onlyRequest(asked);
    const after = await agent.run(approve(request), { session });
    const [result] = resultsOf(after.messages);
    expect(result).toMatchObject({ isError: true });
    expect(result && readable(result)).not.toContain("paid");
    expect(client.requests.at(-1)?.options.tools).toMatchObject([{ description: "Pays anybody." }]);
  });

  it("B62: the same name on two servers and in the program is three tools", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "search" });
      server.on("tools/call", () => server.text("theirs"));
    });
    for (const names of [
      ["acme", "globex"],
      ["globex", "acme"],
    ] as const) {
      await using one = mcpTools(target, { name: names[0], sdk });
      await using other = mcpTools(target, { name: names[1], sdk });
      const search = tool({ name: "search", execute: () => "mine" });
      const { agent, client } = scripted([["search"]], {
        tools: search,
        contextProviders: [one, other],
      });
      const [result] = resultsOf((await agent.run("go")).messages);
      expect(result && readable(result)).toBe("mine");
      const offered = client.requests[0]?.options.tools?.map(({ name }) => name).toSorted();
      expect(offered).toEqual(["acme_search", "globex_search", "search"]);
    }
  });

  it("B62: names that would meet are refused, whoever comes first, and filters take the server's own", async () => {
    const serving = (name: string) => rawServerWith({ name }, (server, tool) => server.tools(tool));
    expect(() => mcpTools(serving("status"), { name: "acme_" })).toThrow(/name must be/);
    for (const turn of [0, 1]) {
      await using one = mcpTools(serving("x_status"), { name: "acme", sdk });
      await using other = mcpTools(serving("status"), { name: "acme_x", sdk });
      const contextProviders = turn === 0 ? [one, other] : [other, one];
      const { agent } = scripted([], { contextProviders });
      await expect(agent.run("go")).rejects.toMatchObject({
        code: "duplicate_tool",
        message: expect.stringMatching(/acme_x_status/),
      });
    }
    await using filtered = mcpTools(serving("_status"), {
      name: "acme",
      sdk,
      allowedTools: ["acme__status"],
    });
    await expect(filtered.connect()).rejects.toMatchObject({ code: "unknown_tool" });
  });
});
