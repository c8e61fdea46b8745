import type { AgentResponse } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { loadMcpServers, type McpTools, mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted } from "./support/agents.js";
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
