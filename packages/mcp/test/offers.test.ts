import { Agent, AgentSession, approve } from "@tunic/core";
import { defaultLattice } from "@tunic/security";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { onlyRequest, readable, resultsOf, scripted, testLog } from "./support/agents.js";
import { serverProgram } from "./support/everything.js";
import { newCountFile, type RawServer, rawServer } from "./support/raw-server.js";

const everything = { command: process.execPath, args: [serverProgram("everything")] };
const toolNames = (client: ScriptedChatClient, round: number) =>
  client.requests[round]?.options.tools?.map(({ name }) => name) ?? [];

/** Prompts and resources, with a tool that changes them. */
function library(server: RawServer): void {
  let prompts: object[] = [
    { name: "greet", description: "Greets.", arguments: [{ name: "who", required: true }] },
    { name: "sum up" },
  ];
  let reads = 0;
  server.capabilities({ tools: {}, prompts: { listChanged: true }, resources: {} });
  server.tools({ name: "change" });
  server.on("tools/call", () => {
    prompts = [{ name: "greet", description: "Greets, differently." }, { name: "new" }];
    server.notify("notifications/prompts/list_changed");
    return server.text("changed");
  });
  server.on("prompts/list", ({ cursor }) =>
    cursor === undefined
      ? { prompts: prompts.slice(0, 1), nextCursor: "2" }
      : { prompts: prompts.slice(1) },
  );
  server.on("prompts/get", (params) => ({
    messages: [
      { role: "user", content: { type: "text", text: JSON.stringify(params.arguments) } },
      { role: "assistant", content: { type: "text", text: "Hello." } },
    ],
  }));
  server.on("resources/list", ({ cursor }) => ({
    resources: [{ uri: `a://${cursor ?? "1"}`, name: "a", icons: [{ src: "x" }] }],
    ...(cursor === undefined && { nextCursor: "2" }),
  }));
  server.on("resources/read", (params) => {
    reads += 1;
    const { uri } = params as unknown as { uri: string };
    if (uri === "gone://" || (uri === "once://" && server.starts === 0)) process.exit(1);
    return {
      contents: [
        { uri, text: `read ${uri} ${reads}` },
        { uri, blob: "aGk=" },
      ],
    };
  });
}

describe.each([1, 2] as const)("prompts and resources, line %i of the SDK", (sdk) => {
  it("are no tools unless they are asked for", async () => {
    await using mcp = mcpTools(rawServer(library), { name: "lib", sdk });
    const { tools } = await mcp.connect();
    expect(tools.map(({ name }) => name)).toEqual(["lib_change"]);
  });

  it("are tools of server-everything, in an agent", async () => {
    await using mcp = mcpTools(everything, {
      name: "all",
      sdk,
      allowedTools: [],
      prompts: "tools",
      resources: "tools",
    });
    const { agent, client } = scripted(
      [
        ["all_prompt_args-prompt", { city: "Oslo" }],
        ["all_prompt_args-prompt", {}],
        ["all_list_resources"],
        ["all_read_resource", { uri: "demo://resource/dynamic/text/1" }],
        ["all_read_resource", { uri: "demo://nowhere" }],
      ],
      { contextProviders: [mcp], invocation: { maxConsecutiveErrors: 10 } },
    );
    const results = resultsOf((await agent.run("go")).messages);
    expect(toolNames(client, 0)).toContain("all_prompt_simple-prompt");
    expect(toolNames(client, 0)).not.toContain("all_echo");
    expect(results.map(({ error }) => error?.code)).toEqual([
      undefined,
      "invalid_arguments",
      undefined,
      undefined,
      "mcp_request_failed",
    ]);
    const texts = results.map(readable);
    expect(texts[0]).toBe("What's weather in Oslo?");
    expect(JSON.parse(texts[2] ?? "")).toMatchObject({
      resources: expect.arrayContaining([expect.objectContaining({ uri: expect.any(String) })]),
      resourceTemplates: expect.arrayContaining([
        expect.objectContaining({ uriTemplate: "demo://resource/dynamic/text/{resourceId}" }),
      ]),
    });
    expect(texts[3]).toContain("Resource 1");
  });

  it("say who speaks in a prompt, and count as somebody else's tools", async () => {
    await using mcp = mcpTools(rawServer(library), {
      name: "lib",
      sdk,
      prompts: ["greet"],
      approvalMode: { alwaysRequire: ["greet"] },
    });
    const session = new AgentSession();
    const { agent, client } = scripted([["lib_prompt_greet", { who: "Mara" }]], {
      contextProviders: [mcp],
    });
    const asked = await agent.run("go", { session });
    expect(toolNames(client, 0)).toEqual(["lib_change", "lib_prompt_greet"]);
    const request = onlyRequest(asked);
    expect(request.tool).toMatchObject({ owner: "lib", traits: { trust: "external" } });
    const [result] = resultsOf((await agent.run(approve(request), { session })).messages);
    expect(result && readable(result)).toBe('user:\n{"who":"Mara"}\nassistant:\nHello.');
  });

  it("follow changed prompts from the next round on", async () => {
    const log = testLog();
    await using mcp = mcpTools(rawServer(library), {
      name: "lib",
      sdk,
      prompts: "tools",
      onLog: log.onLog,
    });
    const { agent, client } = scripted([["lib_change"], ["lib_prompt_new"]], {
      contextProviders: [mcp],
    });
    const results = resultsOf((await agent.run("go")).messages);
    const [before, after] = [toolNames(client, 0), toolNames(client, 1)];
    expect(before.slice(0, 2)).toEqual(["lib_change", "lib_prompt_greet"]);
    expect(before[2]).toMatch(/^lib_prompt_sum-up_[0-9a-f]+$/);
    expect(after.toSorted()).toEqual(["lib_change", "lib_prompt_greet", "lib_prompt_new"]);
    expect(results[1]?.isError).toBeUndefined();
    const [greet] = (await mcp.connect()).tools.filter(({ name }) => name === "lib_prompt_greet");
    expect(greet?.description).toBe("Greets, differently.");
    expect((await mcp.connect()).tools).toBe((await mcp.connect()).tools);
  });

  it("list resources a page at a time, without what is for people", async () => {
    await using mcp = mcpTools(rawServer(library), { name: "lib", sdk, resources: "tools" });
    const { agent } = scripted([["lib_list_resources"], ["lib_list_resources", { cursor: "2" }]], {
      contextProviders: [mcp],
    });
    const texts = resultsOf((await agent.run("go")).messages).map(readable);
    expect(texts).toEqual([
      '{"resources":[{"uri":"a://1","name":"a"}],"nextCursor":"2"}',
      '{"resources":[{"uri":"a://2","name":"a"}]}',
    ]);
  });

  it("are told of where a prompt is named that there is not", async () => {
    await using mcp = mcpTools(rawServer(library), { name: "lib", sdk, prompts: ["gret"] });
    const notices: string[] = [];
    const { agent } = scripted([], { contextProviders: [mcp] });
    await agent.run("go", {
      onEvent(event) {
        if (event.type === "notice") notices.push(`${event.code}: ${event.message}`);
      },
    });
    expect(notices).toEqual([
      'mcp_unknown_prompt: MCP server "lib": prompts names what the server does not have: "gret" (did you mean "greet"?).',
    ]);
  });

  it("are refused where one of their tools would have the name of another", async () => {
    const target = rawServer((server) => {
      server.capabilities({ tools: {}, prompts: {}, resources: {} });
      server.tools({ name: "prompt_greet" });
      server.on("prompts/list", () => ({ prompts: [{ name: "greet" }] }));
    });
    await using mcp = mcpTools(target, { name: "lib", sdk, prompts: "tools" });
    await expect(mcp.connect()).rejects.toMatchObject({
      code: "mcp_duplicate_tool",
      message: expect.stringContaining('"lib_prompt_greet"'),
    });
  });

  it("are none where the server says that it has none", async () => {
    const target = rawServer((server) => server.tools({ name: "only" }));
    await using mcp = mcpTools(target, { name: "s", sdk, prompts: "tools", resources: "tools" });
    const { tools } = await mcp.connect();
    expect(tools.map(({ name }) => name)).toEqual(["s_only"]);
    expect(await mcp.list("prompts")).toEqual([]);
    expect(await mcp.list("resourceTemplates")).toEqual([]);
  });

  it("stand in the context of each run that asks for them, and in no session", async () => {
    await using mcp = mcpTools(rawServer(library), {
      name: "lib",
      sdk,
      allowedTools: [],
      contextResources: ["a://1", "a://2"],
    });
    const session = new AgentSession();
    const client = new ScriptedChatClient(["one", "two"]);
    const agent = new Agent({ client, contextProviders: [mcp] });
    await agent.run("first", { session });
    await agent.run("second", { session });
    for (const { messages } of client.requests) {
      const context = messages.filter(
        ({ additionalProperties }) => additionalProperties?.["contextProvider"] === "lib",
      );
      expect(context.map(({ role, contents }) => [role, contents[0]])).toEqual([
        ["user", expect.objectContaining({ text: expect.stringMatching(/^read a:\/\/1/) })],
        ["user", expect.objectContaining({ text: expect.stringMatching(/^read a:\/\/2/) })],
      ]);
    }
    expect(JSON.stringify(session)).not.toContain("read a://");
  });

  it("fail the run where the server does not give them, and say who has asked for them", async () => {
    const refusing = rawServer((server) => {
      server.capabilities({ resources: {} });
      server.on("resources/read", (_params, id) => server.error(id, -32002, "Not found"));
    });
    await using mcp = mcpTools(refusing, { name: "lib", sdk, contextResources: ["a://1"] });
    const { agent } = scripted([], { contextProviders: [mcp] });
    await expect(agent.run("go")).rejects.toMatchObject({
      cause: {
        code: "mcp_request_failed",
        rpcCode: -32002,
        message: 'The MCP server "lib" does not give "a://1" of contextResources: Not found',
      },
    });
  });

  it("go into the input of a run, where they are not the user's own words", async () => {
    await using mcp = mcpTools(rawServer(library), { name: "lib", sdk });
    const messages = await mcp.prompt("greet", { who: "Mara" });
    const contents = await mcp.resource("a://1");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const { agent, client } = scripted([]);
    await agent.run([...messages, ...contents, "What is this?"]);
    const sent = client.requests[0]?.messages.flatMap((message) => message.contents) ?? [];
    expect(sent.map(({ type }) => type)).toEqual(["text", "text", "text", "data", "text"]);
    for (const content of sent.slice(0, 4)) {
      const label = defaultLattice.read(content.additionalProperties?.["label"]);
      expect(label).toEqual({ integrity: "untrusted", confidentiality: "public" });
    }
    expect((await mcp.list("resources")).map(({ uri }) => uri)).toEqual(["a://1", "a://2"]);
  });

  it("are read again over a new connection, and fail clearly when that breaks too", async () => {
    const countFile = newCountFile();
    await using mcp = mcpTools(rawServer(library, countFile), {
      name: "lib",
      sdk,
      resources: "tools",
    });
    const read = (uri: string) => ["lib_read_resource", { uri }] as const;
    const { agent } = scripted([read("once://"), read("gone://"), read("a://1")], {
      contextProviders: [mcp],
    });
    const [once, gone, after] = resultsOf((await agent.run("go")).messages);
    expect(once && readable(once)).toMatch(/^read once:/);
    expect(gone?.error?.code).toBe("mcp_connection_lost");
    expect(after && readable(after)).toMatch(/^read a:/);
  });
});

describe("options of prompts, resources, tasks and signing in", () => {
  it.each([
    [{ prompts: "all" }, "prompts must be"],
    [{ prompts: [1] }, "prompts must be"],
    [{ resources: true }, "resources must be"],
    [{ contextResources: "a://" }, "contextResources must be a list of URIs"],
    [{ tasks: { ttl: 1 } }, 'no option "ttl"; did you mean "ttlMs"?'],
    [{ tasks: { ttlMs: -1 } }, "tasks.ttlMs must be a number above 0"],
    [{ tasks: { cancel: "no" } }, "tasks.cancel must be"],
    [{ authProvider: 5 }, "authProvider must be an OAuthClientProvider"],
    [{ authProvider: null }, "authProvider must be an OAuthClientProvider"],
  ])("%j is refused", (options, message) => {
    expect(() => mcpTools("npx x", options as never)).toThrow(message);
  });
});
