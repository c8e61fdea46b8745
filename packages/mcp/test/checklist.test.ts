import { AgentSession, type FunctionTool, type JsonObject } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { McpError, type McpToolsOptions, mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted, testLog } from "./support/agents.js";
import { type FakeTerms, fakeClient } from "./support/fake-client.js";
import { rawServer, rawServerWith } from "./support/raw-server.js";

// What an existing implementation of this checks, line by line, except where this package does otherwise on
// purpose:
// - Names always begin with a prefix, and one that is not the server's own letter by letter ends with a hash: there
//   is no collision for a server to choose, and an empty prefix is refused.
// - A changed list also removes and replaces: what is gone is gone, what has changed is another tool.
// - Arguments go as the model has written them and the schema lets them. Nothing of the run is ever mixed in, so that
//   there is no list of names to hold back, and no `_meta` that a model, a caller and a server could quarrel over.
// - A function for headers that throws fails the request it is for, connecting included. Calls need no lock: each
//   request carries its own headers.
// - A task that needs input is no failure: its result is waited for, and what the server asks comes meanwhile.
// - Tools are not loaded and unloaded by the model here. Searching among tools is the same for all tools.
// - A call over a broken connection is made again only where that does no harm.
// - Nobody owns the task in which a connection was opened: any may close it.
// - There are no spans yet: events of the run tell of each call.

async function connected(terms: FakeTerms, options: McpToolsOptions = {}) {
  const client = fakeClient(terms);
  const mcp = mcpTools(client, { name: "s", ...options });
  const { tools } = await mcp.connect();
  return { client, mcp, tools, names: tools.map(({ name }) => name) };
}

const named = (...names: readonly string[]) =>
  names.map((name) => ({ name, inputSchema: { type: "object" } }));

async function call(tools: readonly FunctionTool[], name: string, args: JsonObject = {}) {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`there is no ${name}`);
  return tool.invoke(args);
}

describe("checklist: names and lists", () => {
  it.each([
    ["plain", /^s_plain$/],
    ["with-dash_1", /^s_with-dash_1$/],
    ["a.b", /^s_a-b_[0-9a-f]+$/],
    ["a b", /^s_a-b_[0-9a-f]+$/],
    ["søk/now", /^s_s-k-now_[0-9a-f]+$/],
    ["x".repeat(100), /^s_x+_[0-9a-f]+$/],
  ])("%j becomes a name that every service takes", async (remote, expected) => {
    const { names } = await connected({ tools: named(remote) });
    expect(names).toEqual([expect.stringMatching(expected)]);
    expect(names[0]?.length).toBeLessThanOrEqual(64);
  });

  it("different names never become one, whatever is replaced in them", async () => {
    const { names } = await connected({ tools: named("a b", "a.b", "a/b", "a-b") });
    expect(new Set(names).size).toBe(4);
  });

  it("a prefix of one's own takes the place of the label, and has to be one", async () => {
    const { names } = await connected({ tools: named("x") }, { toolNamePrefix: "mine" });
    expect(names).toEqual(["mine_x"]);
    for (const toolNamePrefix of ["", "_", "a.b", "a-"]) {
      expect(() => mcpTools("npx x", { toolNamePrefix })).toThrow("toolNamePrefix must be");
    }
  });

  it.each<[McpToolsOptions, readonly string[]]>([
    [{}, ["s_A", "s_a", "s_b"]],
    [{ allowedTools: ["a"] }, ["s_a"]],
    [{ allowedTools: ["s_a", "A ", "b"] }, ["s_b"]],
    [{ allowedTools: [] }, []],
    [{ allowedTools: ["a", "b"], blockedTools: ["b"] }, ["s_a"]],
    [{ blockedTools: ["a"] }, ["s_A", "s_b"]],
  ])("%j is told by the server's own names, exactly", async (options, expected) => {
    const { names } = await connected({ tools: named("A", "a", "b") }, options);
    expect(names).toEqual(expected);
  });

  it("approval is told by the server's own names, exactly; always wins", async () => {
    const { tools } = await connected(
      { tools: named("a", "b", "c", "d") },
      { approvalMode: { alwaysRequire: ["a"], neverRequire: ["a", "b", "s_c"] } },
    );
    expect(tools.map(({ approvalMode }) => approvalMode)).toEqual([
      "always_require",
      "never_require",
      undefined,
      undefined,
    ]);
  });

  it("a server without the capability is not asked", async () => {
    const { client, names, mcp } = await connected({ tools: named("a"), capabilities: {} });
    expect(names).toEqual([]);
    expect(client.lists).toEqual([]);
    expect(await mcp.list("prompts")).toEqual([]);
  });

  it("all pages count, the same tool twice is one, and two under one name are an error", async () => {
    const pages = (again: object) => (cursor: string | undefined) =>
      cursor === undefined
        ? { items: named("a", "b"), nextCursor: "2" }
        : { items: [...named("a"), again] };
    const { names, client } = await connected({ tools: pages({ name: "c", inputSchema: {} }) });
    expect(names).toEqual(["s_a", "s_b", "s_c"]);
    expect(client.lists).toEqual([undefined, "2"]);
    await expect(connected({ tools: pages({ name: "b", title: "B" }) })).rejects.toMatchObject({
      code: "mcp_duplicate_tool",
    });
  });

  it("many who ask at once load once", async () => {
    const client = fakeClient({ tools: named("a") });
    const mcp = mcpTools(client, { name: "s" });
    await Promise.all(Array.from({ length: 10 }, () => mcp.connect()));
    expect(client.lists).toHaveLength(1);
  });

  it("a list that cannot be loaded again is told of, and the run goes on", async () => {
    const log = testLog();
    const target = rawServer((server) => {
      let asked = 0;
      server.on("tools/list", (_params, id) => {
        asked += 1;
        if (asked > 1) return server.error(id, -32000, "list lost");
        return { tools: [{ name: "go", inputSchema: { type: "object" } }] };
      });
      server.on("tools/call", () => {
        server.notify("notifications/tools/list_changed");
        return server.text("went");
      });
    });
    await using mcp = mcpTools(target, { name: "s", onLog: log.onLog });
    const notices: string[] = [];
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    const { messages, text } = await agent.run("go", {
      onEvent(event) {
        if (event.type === "notice") notices.push(event.code);
      },
    });
    expect(notices).toEqual(["mcp_tools_kept"]);
    expect(resultsOf(messages).map(readable)).toEqual(["went"]);
    expect(text).toBe("done");
    await log.seen("list lost");
  });
});

describe("checklist: calls", () => {
  const nested = { a: { b: [{ c: null }, 1.5, "ä"] }, list: [[]] };

  it("arguments arrive as they are, nested ones too, and nothing goes beside them", async () => {
    const { client, tools } = await connected({ tools: named("go") });
    const args = { ...nested, _meta: { progressToken: 1 }, session: "s", tools: [] };
    await call(tools, "s_go", args);
    const [made] = client.calls;
    expect(made?.call.name).toBe("go");
    expect(made?.call.arguments).toEqual(args);
    expect(made?.call.meta).toBeUndefined();
    expect(made?.call.params).toBeUndefined();
  });

  it("what is left out goes with the default that the server's schema has for it", async () => {
    const properties = { unit: { type: "string", default: "kg" }, of: { type: "string" } };
    const inputSchema = { type: "object", properties, required: ["of"] };
    const { client, tools } = await connected({ tools: [{ name: "go", inputSchema }] });
    await call(tools, "s_go", { of: "cod" });
    expect(client.calls[0]?.call.arguments).toEqual({ of: "cod", unit: "kg" });
  });

  it("arguments that the schema does not let through are not sent", async () => {
    const inputSchema = { type: "object", properties: {}, additionalProperties: false };
    const { client, tools } = await connected({ tools: [{ name: "go", inputSchema }] });
    expect((await call(tools, "s_go", { _meta: {} })).error?.code).toBe("invalid_arguments");
    expect(client.calls).toEqual([]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ["text", { content: [{ type: "text", text: "t" }] }, ["text"]],
    ["pictures", { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] }, ["data"]],
    ["sound", { content: [{ type: "audio", data: "aGk=", mimeType: "audio/wav" }] }, ["data"]],
    ["links", { content: [{ type: "resource_link", uri: "a://1", name: "a" }] }, ["uri"]],
    [
      "embedded text",
      { content: [{ type: "resource", resource: { uri: "a://", text: "t" } }] },
      ["text"],
    ],
    [
      "embedded bytes",
      { content: [{ type: "resource", resource: { uri: "a://", blob: "aGk=" } }] },
      ["data"],
    ],
    ["what nobody knows", { content: [{ type: "smell", of: "rose" }] }, ["text"]],
    ["structured content", { structuredContent: { a: 1 } }, ["text"]],
    ["nothing", {}, ["text"]],
  ])("results of %s become contents", async (_kind, answer, types) => {
    const { tools } = await connected({ tools: named("go"), call: () => answer });
    const result = await call(tools, "s_go");
    expect(result.isError).toBeUndefined();
    expect(result.contents.map(({ type }) => type)).toEqual(types);
  });

  it("`_meta` of a result stands beside its contents, never in a text", async () => {
    const { tools } = await connected({
      tools: named("go"),
      call: () => ({ content: [{ type: "text", text: "t" }], _meta: { trace: "x1" } }),
    });
    const { contents } = await call(tools, "s_go");
    expect(contents[0]).toMatchObject({
      text: "t",
      additionalProperties: { mcp: { meta: { trace: "x1" } } },
    });
  });

  it.each<[string, () => JsonObject, string]>([
    [
      "isError",
      () => ({ content: [{ type: "text", text: "no" }], isError: true }),
      "mcp_tool_error",
    ],
    [
      "an error of the protocol",
      () => {
        throw new McpError("mcp_request_failed", "no", { rpcCode: -32602 });
      },
      "mcp_request_failed",
    ],
  ])("%s is a failure, and handlers see it", async (_how, answer, code) => {
    const mcp = mcpTools(fakeClient({ tools: named("go"), call: answer }), { name: "s" });
    const seen: unknown[] = [];
    const { agent } = scripted([["s_go"]], {
      contextProviders: [mcp],
      middleware: [
        {
          name: "watch",
          async function(_context, next) {
            const result = await next();
            seen.push(result.error?.code);
            return result;
          },
        },
      ],
    });
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(result?.isError).toBe(true);
    expect(result && readable(result)).toContain("no");
    expect(seen).toEqual([code]);
  });

  it.each<[boolean, McpToolsOptions, number]>([
    [true, {}, 2],
    [false, {}, 1],
    [false, { repeatableTools: ["go"] }, 2],
    [false, { readOnlyTools: ["go"] }, 2],
    [false, { repeatableTools: ["s_go"] }, 1],
  ])(
    "after a break (unsent: %s) and with %j it is sent %i times",
    async (notSent, options, times) => {
      let tries = 0;
      const { client, tools } = await connected(
        {
          tools: named("go"),
          call() {
            tries += 1;
            if (tries === 1) throw new McpError("mcp_connection_lost", "broken", { notSent });
            return { content: [{ type: "text", text: "went" }] };
          },
        },
        options,
      );
      const result = await call(tools, "s_go");
      expect(client.calls).toHaveLength(times);
      expect(result.error?.code).toBe(times === 2 ? undefined : "mcp_connection_lost");
    },
  );

  it("each of many calls at once has the headers that were made for it", async () => {
    const client = fakeClient({ tools: named("go") });
    const sessions = Array.from({ length: 5 }, () => new AgentSession());
    const mcp = mcpTools(client, {
      name: "s",
      headers: async ({ session, tool }) => ({ "x-for": `${session?.id} ${tool?.name}` }),
    });
    await Promise.all(
      sessions.map((session) => {
        const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
        return agent.run("go", { session });
      }),
    );
    const sent = client.calls.map(({ options }) => options?.headers?.["x-for"]);
    expect(sent.toSorted()).toEqual(sessions.map(({ id }) => `${id} s_go`).toSorted());
  });

  it("a function for headers that fails, fails its call, and nothing is sent", async () => {
    const { client, tools } = await connected(
      { tools: named("go") },
      {
        headers() {
          throw new Error("no token");
        },
      },
    );
    expect((await call(tools, "s_go")).isError).toBe(true);
    expect(client.calls).toEqual([]);
  });
});

describe("checklist: connecting", () => {
  it.each(["initialize", "tools/list"])(
    "is given up while the server keeps %s back",
    async (stage) => {
      const log = testLog();
      const target = rawServerWith({ stage }, (server, { stage }) => {
        server.on(stage, () => server.say("reached"));
      });
      await using mcp = mcpTools(target, { name: "s", sdk: 1, onLog: log.onLog });
      const controller = new AbortController();
      const connecting = mcp.connect(controller.signal);
      connecting.catch(() => {});
      await log.seen("reached");
      const reason = new Error("enough");
      controller.abort(reason);
      await expect(connecting).rejects.toBe(reason);
    },
  );

  it("an abort before it begins is one, and nothing is opened", async () => {
    const client = fakeClient({ tools: named("a") });
    const mcp = mcpTools(client, { name: "s" });
    await expect(mcp.connect(AbortSignal.abort(new Error("early")))).rejects.toThrow("early");
    expect(client.lists).toEqual([]);
  });

  it("closing twice, or before anything was opened, does no harm; nothing connects afterwards", async () => {
    const mcp = mcpTools(fakeClient({ tools: named("a") }), { name: "s" });
    await mcp.close();
    await mcp.close();
    await expect(mcp.connect()).rejects.toMatchObject({ code: "mcp_closed" });
  });
});
