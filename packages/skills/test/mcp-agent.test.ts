import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { mcpSkills } from "../src/index.js";
import { connected, listedSkill } from "./support/mcp.js";
import { agentWith, free } from "./support/provider.js";
import { contextWith } from "./support/skills.js";

const knots = listedSkill("deck/knots", { "references/all.md": "Bowline." });
const page = { skills: [knots.entry] };

describe("over a pipe to another process", () => {
  it("skills are listed, loaded and read", async () => {
    const file = fileURLToPath(new URL("support/mcp-stdio-server.mjs", import.meta.url));
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [file] }));
    try {
      const context = contextWith();
      const { skills, problems } = await mcpSkills(client, { name: "docs" }).list(context);
      expect(problems).toEqual([]);
      const [skill] = skills;
      expect(skill?.frontmatter.name).toBe("knots");
      expect(await skill?.load(context)).toContain("Begin with the bowline.");
      const all = await skill?.findResource?.("all.md", context);
      expect(await all?.read(context)).toBe("Bowline.");
      const none = await skill?.findResource?.("none.md", context);
      await expect(none?.read(context)).rejects.toMatchObject({ code: "skill_unreadable" });
    } finally {
      await client.close();
    }
  });
});

describe("in an agent", () => {
  it("a skill is loaded, read, labelled, and cannot run anything", async () => {
    const { client, listSkills } = await connected(knots.files, { pages: [page] });
    const call = (name: string, args: object) => ({
      calls: [{ name, arguments: { skill_name: "knots", ...args } }],
    });
    const { agent } = agentWith(
      [
        call("load_skill", {}),
        call("read_skill_resource", { resource_name: "references/all.md" }),
        call("run_skill_script", { script_name: "references/all.md" }),
        "Done.",
      ],
      { ...free, skills: mcpSkills(client, { name: "docs", listSkills }) },
    );
    const { messages } = await agent.run("Tie.");
    const results = messages
      .flatMap(({ contents }) => contents)
      .filter((content) => content.type === "function_result");
    expect(JSON.stringify(results[0])).toContain("from the MCP server");
    expect(JSON.stringify(results[0])).toContain("untrusted");
    expect(JSON.stringify(results[1])).toContain("Bowline.");
    expect(results[2]).toMatchObject({ isError: true, error: { code: "unknown_script" } });
  });
});

describe("mcpSkills", () => {
  it.each<[string, unknown, object]>([
    ["no client", undefined, { name: "docs" }],
    ["a client of something else", {}, { name: "docs" }],
    ["no name", { readResource() {} }, {}],
    ["a blank name", { readResource() {} }, { name: " " }],
    ["a name that ends a quotation", { readResource() {} }, { name: 'a"b' }],
    ["another trust", { readResource() {} }, { name: "docs", trust: "some" }],
    ["no function", { readResource() {} }, { name: "docs", listSkills: "skills/list" }],
    ["a limit of nothing", { readResource() {} }, { name: "docs", limits: { files: 0 } }],
    ["an unknown limit", { readResource() {} }, { name: "docs", limits: { pages: 1 } }],
    ["an unknown option", { readResource() {} }, { name: "docs", url: "x" }],
  ])("refuses %s", (_, client, options) => {
    expect(() => Reflect.apply(mcpSkills, undefined, [client, options])).toThrow(
      expect.objectContaining({ name: "ConfigurationError" }),
    );
  });
});
