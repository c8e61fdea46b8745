import { type AgentResponse, AgentSession, approve } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { loadMcpServers, type McpTools, mcpTools } from "../src/index.js";
import {
  linesAndModes,
  onlyRequest,
  onlyResult,
  readable,
  resultsOf,
  runIn,
  scripted,
} from "./support/agents.js";
import { fakeClient } from "./support/fake-client.js";
import { RawHttpServer } from "./support/raw-http-server.js";
import { person, startSignInServer } from "./support/sign-in-server.js";

/** A run, and what it is told of its servers. */
async function run(
  mcp: readonly McpTools[],
  calls: readonly (readonly [string])[] = [],
): Promise<{ response: AgentResponse; notices: readonly string[]; offered: unknown }> {
  const notices: string[] = [];
  const { agent, client } = scripted(calls, { contextProviders: mcp });
  const response = await agent.run("go", {
    onEvent(event) {
      if (event.type === "notice") notices.push(`${event.code}: ${event.message}`);
    },
  });
  return { response, notices, offered: client.requests[0]?.options.tools?.map(({ name }) => name) };
}

const tools = [{ name: "tide", inputSchema: { type: "object" } }];

describe.each([1, 2] as const)("a server that is not there, line %i of the SDK", (sdk) => {
  it("fails the run, unless it is optional", async () => {
    const server = await RawHttpServer.start();
    const { url } = server;
    await server.stop();
    await using mcp = mcpTools(url, { name: "s", sdk });
    await expect(run([mcp])).rejects.toMatchObject({ cause: { code: "mcp_connect_failed" } });
  });

  it("is left out of a run where it is optional, and tried again at the next one", async () => {
    const server = await RawHttpServer.start();
    const { url, port } = server;
    await server.stop();
    await using mcp = mcpTools(url, { name: "s", sdk, optional: true });
    await using other = mcpTools(fakeClient({ tools }), { name: "harbour" });
    const without = await run([mcp, other]);
    expect(without.response.text).toBe("done");
    expect(without.offered).toEqual(["harbour_tide"]);
    expect(without.notices).toEqual([
      expect.stringMatching(
        /^mcp_unavailable: The MCP server "s" is left out of this run: .* could not be connected to/,
      ),
    ]);
    await expect(mcp.connect()).rejects.toMatchObject({ code: "mcp_connect_failed" });
    await server.listen(port);
    server.on("tools/call", () => ({ content: [{ type: "text", text: "went" }] }));
    const again = await run([mcp, other], [["s_go"]]);
    expect(again.offered).toEqual(["s_go", "harbour_tide"]);
    expect(again.notices).toEqual([]);
    expect(resultsOf(again.response.messages).map(readable)).toEqual(["went"]);
    await server.stop();
  });
});

describe("an optional server", () => {
  it("is left out where somebody has to sign in first", async () => {
    await using at = await startSignInServer();
    const authProvider = person().provider;
    await using mcp = mcpTools(at.server.url, { name: "s", optional: true, authProvider });
    const { notices } = await run([mcp]);
    expect(notices).toEqual([expect.stringMatching(/^mcp_unavailable: .*finishAuth\(\)/)]);
  });

  it("fails the run where it is there, and what it lists or the options say is wrong", async () => {
    const twice = [...tools, { name: "tide", title: "Another" }];
    await using mixed = mcpTools(fakeClient({ tools: twice }), { name: "s", optional: true });
    await expect(run([mixed])).rejects.toMatchObject({ cause: { code: "mcp_duplicate_tool" } });
    const options = { name: "s", optional: true, blockedTools: ["tides"] };
    await using misnamed = mcpTools(fakeClient({ tools }), options);
    await expect(run([misnamed])).rejects.toMatchObject({ cause: { code: "unknown_tool" } });
  });

  it("is left out with what is said of its configuration", async () => {
    const dead = { command: "/does/not/exist", argz: ["x"] };
    const servers = loadMcpServers({ mcpServers: { dead } }, { tools: { optional: true } });
    const { notices } = await run(servers);
    expect(notices).toEqual([
      'mcp_config_ignored: MCP server "dead": `argz` in its configuration means nothing here. Did you mean `args`?',
      expect.stringMatching(/^mcp_unavailable: .*"dead"/),
    ]);
    await Promise.all(servers.map((server) => server.close()));
  });

  it("may be one of a file", async () => {
    const servers = loadMcpServers(
      { mcpServers: { dead: { command: "/does/not/exist" } } },
      { tools: (name) => ({ optional: name === "dead" }) },
    );
    const { notices } = await run(servers);
    expect(notices).toEqual([expect.stringMatching(/^mcp_unavailable: .*"dead"/)]);
    await Promise.all(servers.map((server) => server.close()));
  });
});

/** A server over HTTP that whose tool waits for a person. */
async function paused(mode: "whole" | "streamed", make: (url: string) => readonly McpTools[]) {
  const server = await RawHttpServer.start();
  const { url, port } = server;
  server.on("tools/call", () => ({ content: [{ type: "text", text: "went" }] }));
  const mcp = make(url);
  const { agent } = scripted([["s_go"]], { contextProviders: mcp });
  const session = new AgentSession();
  onlyRequest(await runIn(mode, agent, "go", { session }));
  await Promise.all(mcp.map((each) => each.close()));
  return { server, url, port, session };
}

describe.each(linesAndModes)(
  "an optional server that an approval waits for, line $sdk of the SDK, $mode",
  ({ sdk, mode }) => {
    const options = { sdk, optional: true, approvalMode: "always_require" } as const;
    const alone = (url: string) => [mcpTools(url, { ...options, name: "s" })];
    const ofFile = (url: string) =>
      loadMcpServers(
        { mcpServers: { dead: { command: "/does/not/exist" }, s: { url } } },
        { tools: options },
      );

    it.each([
      ["alone", alone],
      ["one of a file", ofFile],
    ] as const)(
      "fails the run while it is not there, and the request stays open: %s",
      async (_, make) => {
        const { server, url, port, session } = await paused(mode, make);
        await server.stop();
        const mcp = make(url);
        const { agent } = scripted([], { contextProviders: mcp });
        const [request] = session.pending;
        if (request === undefined) throw new Error("somebody is asked");
        await expect(runIn(mode, agent, approve(request), { session })).rejects.toMatchObject({
          cause: { code: "mcp_connect_failed" },
        });
        expect(session.pending).toEqual([request]);
        await server.listen(port);
        const response = await runIn(mode, agent, approve(request), { session });
        expect(readable(onlyResult(response))).toBe("went");
        await Promise.all(mcp.map((each) => each.close()));
        await server.stop();
      },
    );

    it("fails the run of a history that the caller keeps", async () => {
      const { server, url, session } = await paused(mode, alone);
      await server.stop();
      const [mcp] = alone(url);
      const { agent } = scripted([], { contextProviders: mcp ? [mcp] : [] });
      const [request] = session.pending;
      if (request === undefined) throw new Error("somebody is asked");
      const input = [...session.messages, approve(request)];
      await expect(runIn(mode, agent, input)).rejects.toMatchObject({
        cause: { code: "mcp_connect_failed" },
      });
      await mcp?.close();
    });

    it("is left out where another server's approval waits", async () => {
      const { server, url, session } = await paused(mode, alone);
      const [mcp] = alone(url);
      const dead = mcpTools({ command: "/does/not/exist" }, { name: "dead", optional: true, sdk });
      const { agent } = scripted([], { contextProviders: mcp ? [mcp, dead] : [] });
      const [request] = session.pending;
      if (request === undefined) throw new Error("somebody is asked");
      const response = await runIn(mode, agent, approve(request), { session });
      expect(readable(onlyResult(response))).toBe("went");
      await mcp?.close();
      await server.stop();
    });
  },
);
