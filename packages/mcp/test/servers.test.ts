import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentSession, approve, deny } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import {
  linesAndModes,
  onlyRequest,
  onlyResult,
  readable,
  resultsOf,
  runIn,
  scripted,
  stored,
  testLog,
} from "./support/agents.js";
import { serverProgram } from "./support/everything.js";
import { goServer, noNativeServers, rustServer } from "./support/native-servers.js";
import { stdioRelay } from "./support/relay.js";

const start = (name: Parameters<typeof serverProgram>[0], ...args: readonly string[]) => ({
  command: process.execPath,
  args: [serverProgram(name), ...args],
});

const skipped = noNativeServers === undefined ? "" : ` (skipped: ${noNativeServers})`;

async function folder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "tunic-mcp-"));
  await mkdir(join(root, "box"));
  await writeFile(join(root, "box", "note.txt"), "high tide at noon");
  return root;
}

describe.each([1, 2] as const)("official servers, line %i of the SDK", (sdk) => {
  it("filesystem: reads what is allowed, asks before it writes, and fails outside its folder", async () => {
    const root = await folder();
    await using mcp = mcpTools(start("filesystem", join(root, "box")), {
      name: "files",
      sdk,
      allowedTools: ["read_text_file", "write_file"],
      approvalMode: { alwaysRequire: ["write_file"] },
    });
    const session = new AgentSession();
    const path = join(root, "box", "new.txt");
    const { agent, client } = scripted(
      [
        ["files_read_text_file", { path: join(root, "box", "note.txt") }],
        ["files_read_text_file", { path: join(root, "out.txt") }],
        ["files_list_directory", { path: root }],
        ["files_write_file", { path, content: "low tide at six" }],
        ["files_read_text_file", { path }],
      ],
      { contextProviders: [mcp] },
    );
    const asked = await agent.run("go", { session });
    const offered = client.requests[0]?.options.tools?.map(({ name }) => name);
    expect(offered?.toSorted()).toEqual(["files_read_text_file", "files_write_file"]);
    const [read, outside, notOffered] = resultsOf(asked.messages);
    expect(read && readable(read)).toBe("high tide at noon");
    expect(outside?.error?.code).toBe("mcp_tool_error");
    expect(notOffered?.isError).toBe(true);
    const request = onlyRequest(asked);
    expect(request.tool).toMatchObject({ owner: "files", traits: { trust: "external" } });
    const done = await agent.run(approve(request), { session });
    const [wrote, readAgain] = resultsOf(done.messages);
    expect(wrote?.isError).toBeUndefined();
    expect(readAgain && readable(readAgain)).toBe("low tide at six");
  });

  it("memory and sequential-thinking: two servers at once", async () => {
    const root = await folder();
    const env = { MEMORY_FILE_PATH: join(root, "memory.jsonl") };
    await using memory = mcpTools({ ...start("memory"), env }, { name: "memory", sdk });
    await using thinking = mcpTools(start("sequential-thinking"), { name: "think", sdk });
    const entity = { name: "Mara", entityType: "person", observations: ["is on holiday"] };
    const thought = { thought: "t", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    const { agent } = scripted(
      [
        ["memory_create_entities", { entities: [entity] }],
        ["think_sequentialthinking", thought],
        ["memory_search_nodes", { query: "Mara" }],
      ],
      { contextProviders: [memory, thinking] },
    );
    const results = resultsOf((await agent.run("go")).messages);
    expect(results.map(({ isError = false }) => isError)).toEqual([false, false, false]);
    expect(results[2] && readable(results[2])).toContain("is on holiday");
  });

  it("gets nothing of this process's environment that was not given", async () => {
    process.env["TUNIC_SECRET"] = "tide";
    try {
      await using mcp = mcpTools(
        { ...start("everything"), env: { GIVEN: "yes" } },
        { name: "all", sdk, onLog: testLog().onLog },
      );
      const { tools } = await mcp.connect();
      const result = await tools.find(({ name }) => name === "all_get-env")?.invoke({});
      const shown = JSON.stringify(result?.contents);
      expect(shown).toContain("GIVEN");
      expect(shown).not.toContain("TUNIC_SECRET");
    } finally {
      delete process.env["TUNIC_SECRET"];
    }
  });
});

describe.each(linesAndModes)(
  "two servers at once, line $sdk of the SDK, $mode",
  ({ sdk, mode }) => {
    it("with the same tool: each is asked about, and what is allowed of one is not of the other", async () => {
      const roots = [await folder(), await folder()];
      const [near, far] = roots.map((root, n) =>
        mcpTools(start("filesystem", join(root, "box")), {
          name: n === 0 ? "near" : "far",
          sdk,
          approvalMode: { alwaysRequire: ["write_file"] },
        }),
      );
      if (near === undefined || far === undefined) throw new Error("there are two");
      await using _near = near;
      await using _far = far;
      const files = roots.map((root) => join(root, "box", "new.txt"));
      const calls = files.map((path, n) => ({
        name: n === 0 ? "near_write_file" : "far_write_file",
        arguments: { path, content: "low tide at six" },
      }));
      const { agent } = scripted([], { contextProviders: [near, far] }, [{ calls }, "done"]);
      const session = new AgentSession();
      const { approvalRequests } = await runIn(mode, agent, "go", { session });
      expect(approvalRequests.map(({ tool }) => tool?.owner)).toEqual(["near", "far"]);
      const answers = approvalRequests.map((request) =>
        request.tool?.owner === "far" ? approve(request) : deny(request),
      );
      const done = await runIn(mode, agent, answers, { session: stored(session) });
      expect(done.text).toBe("done");
      expect(resultsOf(done.messages).map(({ isError = false }) => isError)).toEqual([true, false]);
      expect(files.map((file) => existsSync(file))).toEqual([false, true]);
      expect(await readFile(files[1] ?? "", "utf8")).toBe("low tide at six");
    });

    it.skipIf(noNativeServers !== undefined)(
      `in Go and in Rust, with the same tool: each call reaches its own${skipped}`,
      async () => {
        const tool = "convert_timezone";
        const options = { sdk, approvalMode: { alwaysRequire: [tool] } };
        await using go = mcpTools(goServer, { name: "go", ...options });
        const env = { HOME: await folder() };
        await using rust = mcpTools({ ...rustServer, env }, { name: "rust", ...options });
        const calls = [
          {
            name: `go_${tool}`,
            arguments: { time: "2026-03-01T12:00:00Z", output_timezone: "Asia/Tokyo" },
          },
          {
            name: `rust_${tool}`,
            arguments: { datetime: "2026-03-01T12:00:00Z", target_timezone: "Asia/Tokyo" },
          },
          { name: `go_${tool}`, arguments: { output_timezone: "Sea/Nowhere" } },
        ];
        const { agent } = scripted([], { contextProviders: [go, rust] }, [{ calls }, "done"]);
        const session = new AgentSession();
        const { approvalRequests } = await runIn(mode, agent, "go", { session });
        const answers = approvalRequests.map((request) => approve(request));
        const done = await runIn(mode, agent, answers, { session: stored(session) });
        const results = resultsOf(done.messages);
        expect(results.map(readable)).toEqual([
          "2026-03-01T21:00:00+09:00",
          expect.stringContaining('"utc_offset": "+09:00"'),
          expect.stringContaining("Sea/Nowhere"),
        ]);
        expect(results.map(({ error }) => error?.code)).toEqual([
          undefined,
          undefined,
          "mcp_tool_error",
        ]);
      },
    );
  },
);

describe.each(linesAndModes)(
  "a tool that the server does not know any more, line $sdk of the SDK, $mode",
  ({ sdk, mode }) => {
    const rename = (from: string) => ({ from, to: "vanished" });

    async function called(relay: ReturnType<typeof stdioRelay>, name: string, args = {}) {
      await using mcp = mcpTools(relay.target, { name: "s", sdk, approvalMode: "always_require" });
      const { agent } = scripted([[`s_${name}`, args]], { contextProviders: [mcp] });
      const session = new AgentSession();
      const request = onlyRequest(await runIn(mode, agent, "go", { session }));
      const done = await runIn(mode, agent, approve(request), { session });
      expect(relay.calls()).toBe(1);
      const result = onlyResult(done);
      return { isError: result.isError, code: result.error?.code, text: readable(result) };
    }

    it("is a failure where the server says so in a result", async () => {
      const relay = stdioRelay(start("everything"), rename("echo"));
      expect(await called(relay, "echo", { message: "hello" })).toEqual({
        isError: true,
        code: "mcp_tool_error",
        text: "MCP error -32602: Tool vanished not found",
      });
    });

    it.skipIf(noNativeServers !== undefined)(
      `is a failure where the server answers with an error: Go${skipped}`,
      async () => {
        const relay = stdioRelay(goServer, rename("current_time"));
        expect(await called(relay, "current_time")).toEqual({
          isError: true,
          code: "mcp_request_failed",
          text: "Error: MCP error -32602: tool 'vanished' not found: tool not found",
        });
      },
    );

    it.skipIf(noNativeServers !== undefined)(
      `is a failure where the server answers with an error: Rust${skipped}`,
      async () => {
        const relay = stdioRelay(
          { ...rustServer, env: { HOME: await folder() } },
          rename("get_temporal_context"),
        );
        expect(await called(relay, "get_temporal_context")).toEqual({
          isError: true,
          code: "mcp_request_failed",
          text: "Error: MCP error -32602: tool not found",
        });
      },
    );
  },
);
