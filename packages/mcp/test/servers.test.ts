import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentSession, approve } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted, testLog } from "./support/agents.js";
import { serverProgram } from "./support/everything.js";

async function folder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "tunic-mcp-"));
  await mkdir(join(root, "box"));
  await writeFile(join(root, "box", "note.txt"), "high tide at noon");
  return root;
}

describe.each([1, 2] as const)("official servers, line %i of the SDK", (sdk) => {
  const start = (name: Parameters<typeof serverProgram>[0], ...args: readonly string[]) => ({
    command: process.execPath,
    args: [serverProgram(name), ...args],
  });

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
    expect(asked.outcome).toBe("paused");
    const [request] = asked.approvalRequests;
    if (request === undefined) throw new Error("somebody is asked");
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
