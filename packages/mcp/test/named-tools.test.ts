import { describe, expect, it } from "vitest";
import { loadMcpServers, type McpTools, type McpToolsOptions, mcpTools } from "../src/index.js";
import { runIn, scripted, testLog } from "./support/agents.js";
import { fakeClient } from "./support/fake-client.js";
import { type RawServer, rawServer } from "./support/raw-server.js";

function filesServer(): ReturnType<typeof fakeClient> {
  const names = ["read_file", "write_file"];
  return fakeClient({
    tools: [
      ...names.map((name) => ({ name, inputSchema: { type: "object" } })),
      { name: "huge", description: "x".repeat(100_000) },
    ],
    capabilities: { tools: {}, prompts: {} },
    request: (method) =>
      method === "prompts/list" ? { prompts: [{ name: "greet" }, { name: "part" }] } : {},
  });
}

const files = (options: McpToolsOptions): McpTools =>
  mcpTools(filesServer(), { name: "files", ...options });

async function noticesOf(mcp: McpTools, calls: readonly (readonly [string])[] = []) {
  const notices: string[] = [];
  const { agent } = scripted(calls, { contextProviders: [mcp] });
  await runIn("whole", agent, "go", {
    onEvent(event) {
      if (event.type === "notice") notices.push(`${event.code}: ${event.message}`);
    },
  });
  return notices;
}

describe("a name in the options that fits no tool", () => {
  it.each<[McpToolsOptions, string]>([
    [
      { approvalMode: { alwaysRequire: ["files_write_file"] } },
      'approvalMode.alwaysRequire names what the server does not have: "files_write_file" (did you mean "write_file"? Leave out "files_").',
    ],
    [
      { approvalMode: { alwaysRequire: ["read_file", "write_fle"] } },
      'does not have: "write_fle" (did you mean "write_file"?).',
    ],
    [
      { blockedTools: ["files_write_file"] },
      'blockedTools names what the server does not have: "f',
    ],
    [{ blockedTools: ["constructor"] }, 'does not have: "constructor".'],
    [
      { allowedTools: ["files_read_file", "write_fle"] },
      'allowedTools names what the server does not have: "files_read_file" (did you mean "read_file"? Leave out "files_"), "write_fle" (did',
    ],
    // Prompts are no tools that could be blocked, and none at all unless they are wanted.
    [{ prompts: "tools", blockedTools: ["greet"] }, '"greet"'],
    [{ approvalMode: { alwaysRequire: ["greet"] } }, '"greet"'],
    [{ approvalMode: { alwaysRequire: ["read_resource"] } }, '"read_resource"'],
  ])("is an error where it was to protect something: %j", async (options, message) => {
    const error = { code: "unknown_tool", message: expect.stringContaining(message) };
    await using mcp = files(options);
    await expect(mcp.connect()).rejects.toMatchObject(error);
    const { agent, client } = scripted([], { contextProviders: [mcp] });
    await expect(agent.run("go")).rejects.toMatchObject({ cause: error });
    expect(client.requests).toEqual([]);
  });

  it.each<McpToolsOptions>([
    { approvalMode: { alwaysRequire: ["write_file"], neverRequire: ["read_file"] } },
    { allowedTools: ["read_file"], blockedTools: ["write_file"] },
    // What cannot be used is there all the same.
    { blockedTools: ["huge"] },
    { prompts: ["greet"], approvalMode: { alwaysRequire: ["greet", "part"] } },
    { resources: "tools", approvalMode: { alwaysRequire: ["list_resources", "read_resource"] } },
  ])("is not one that fits: %j", async (options) => {
    await using mcp = files(options);
    expect((await noticesOf(mcp)).filter((each) => !each.includes("too_large"))).toEqual([]);
  });

  it.each<[McpToolsOptions, string]>([
    [{ allowedTools: ["read_file", "write_fle"] }, "allowedTools"],
    [{ readOnlyTools: ["files_write_file"] }, "readOnlyTools"],
    [{ repeatableTools: ["write_fle"] }, "repeatableTools"],
    [{ approvalMode: { neverRequire: ["write_fle"] } }, "approvalMode.neverRequire"],
    [
      { approvalMode: { alwaysRequire: ["write_fle"], otherwise: "always_require" } },
      "approvalMode.alwaysRequire",
    ],
  ])("is a notice where nothing stays open: %j", async (options, option) => {
    await using mcp = files(options);
    const notices = await noticesOf(mcp);
    const [notice] = notices.filter((each) => each.startsWith("mcp_unknown_tool"));
    expect(notice).toContain(`MCP server "files": ${option} names what the server does not have`);
    expect(notice).toContain('did you mean "write_file"?');
  });

  it("is a notice where something else is left of the server", async () => {
    await using mcp = files({ allowedTools: ["write_fle"], prompts: "tools" });
    const [notice] = await noticesOf(mcp);
    expect(notice).toMatch(/^mcp_unknown_tool: .*allowedTools/);
  });

  it("is a warning in the log where no run has notices", async () => {
    const { entries, onLog } = testLog();
    await using mcp = files({ readOnlyTools: ["write_fle"], onLog });
    await mcp.connect();
    const [warning] = entries.filter(({ level }) => level === "warning");
    expect(warning).toMatchObject({ logger: "tools" });
    expect(warning?.data).toMatch(/^MCP server "files": readOnlyTools names .*"write_file"\?/);
  });

  it("is a notice once the tool was there: tools may go", async () => {
    const leaving = (server: RawServer): void => {
      server.tools({ name: "leave" }, { name: "write_file" });
      server.on("tools/call", () => {
        server.tools({ name: "leave" });
        server.notify("notifications/tools/list_changed");
        return server.text("left");
      });
    };
    await using mcp = mcpTools(rawServer(leaving), { name: "s", blockedTools: ["write_file"] });
    expect(await noticesOf(mcp, [["s_leave"]])).toEqual([]);
    const after = await noticesOf(mcp);
    expect(after).toEqual([expect.stringMatching(/^mcp_unknown_tool: .*blockedTools/)]);
  });

  it.each([{ blockedTools: ["delete"] }, { allowedTools: ["delete"] }])(
    "may be for another server, where several share the options: %j",
    async (tools) => {
      const command = rawServer((server) => server.tools({ name: "a" }));
      const [one, other] = loadMcpServers(
        { mcpServers: { one: command, other: command } },
        { tools },
      );
      const [alone] = loadMcpServers({ mcpServers: { alone: command } }, { tools });
      if (one === undefined || other === undefined || alone === undefined) throw new Error("three");
      for (const mcp of [one, other]) {
        expect(await noticesOf(mcp)).toEqual([expect.stringContaining("mcp_unknown_tool")]);
      }
      await expect(alone.connect()).rejects.toMatchObject({ code: "unknown_tool" });
      await Promise.all([one, other, alone].map((mcp) => mcp.close()));
    },
  );
});
