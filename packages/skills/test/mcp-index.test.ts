import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { describe, expect, it } from "vitest";
import { mcpSkills, type Skill } from "../src/index.js";
import { zipOf } from "./support/archives.js";
import { connected, digestOf, type Served } from "./support/mcp.js";
import { contextWith } from "./support/skills.js";

const context = contextWith();
const skillText = "---\nname: knots\ndescription: Ties knots.\n---\nBegin with the bowline.\n";

async function listed(entries: unknown, files: Served = {}, more = {}) {
  const index = typeof entries === "string" ? entries : JSON.stringify({ skills: entries });
  const server = await connected({ "skill://index.json": index, ...files });
  const source = mcpSkills(server.client, { name: "docs", ...more });
  return { ...(await source.list(context)), ...server, source };
}

function only(skills: readonly Skill[]): Skill {
  const [skill] = skills;
  if (skill === undefined || skills.length !== 1) throw new Error(`${skills.length} skills`);
  return skill;
}

const single = {
  name: "knots",
  type: "skill-md",
  description: "Ties knots.",
  url: "skill://deck/knots/SKILL.md",
};
const archive = { ...single, type: "archive", url: "skill://knots.zip" };

describe("an index", () => {
  it("that there is not means no skills", async () => {
    for (const code of [-32002, -32601, -32602]) {
      const { client } = await connected({ "skill://index.json": code });
      const listing = await mcpSkills(client, { name: "docs" }).list(context);
      expect(listing).toEqual({ skills: [], problems: [] });
    }
  });

  it.each([-32603, -32000, -32001])("that fails with %i fails the listing", async (code) => {
    const { client } = await connected({ "skill://index.json": code });
    await expect(mcpSkills(client, { name: "docs" }).list(context)).rejects.toMatchObject({ code });
  });

  it.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["null", "null"],
    ["without skills", "{}"],
    ["with skills that are no list", '{"skills":{}}'],
    ["too large", `{"skills":[]${" ".repeat(1024 * 1024)}}`],
  ])("that is %s means none, and an error", async (_, text) => {
    const { skills, problems } = await listed(text);
    expect(skills).toEqual([]);
    expect(problems).toMatchObject([
      { severity: "error", code: "mcp_index", file: "docs skill://index.json" },
    ]);
  });

  it("tells of skills without reading them", async () => {
    const { skills, problems, read } = await listed([single, { ...archive, name: "sails" }]);
    expect(problems).toEqual([]);
    expect(skills).toMatchObject([
      { frontmatter: { name: "knots", description: "Ties knots." }, origin: "docs" },
      { frontmatter: { name: "sails" }, trust: "untrusted", scripts: [] },
    ]);
    expect(read).toEqual(["skill://index.json"]);
  });

  it.each<[string, unknown, string]>([
    ["another type", { ...single, type: "mcp-resource-template" }, "mcp_type"],
    ["no entry", null, "mcp_type"],
    ["no url", { ...single, url: undefined }, "mcp_entry"],
    ["a url without a scheme", { ...single, url: "/knots/SKILL.md" }, "mcp_entry"],
    ["a url with blanks", { ...single, url: "skill://knots /SKILL.md" }, "mcp_entry"],
    ["a digest that is none", { ...single, digest: "sha256:12" }, "mcp_entry"],
    ["a name that is none", { ...single, name: "Knots" }, "mcp_name"],
    ["a name that is a path", { ...single, name: "../knots" }, "name_unusable"],
    ["no description", { ...single, description: "" }, "description_blank"],
  ])("leaves out, with a problem, what has %s", async (_, entry, code) => {
    const { skills, problems } = await listed([entry, { ...single, name: "sails" }]);
    expect(only(skills).frontmatter.name).toBe("sails");
    expect(problems.map((problem) => problem.code)).toContain(code);
  });

  it("is cut off where it has too many skills", async () => {
    const entries = Array.from({ length: 9 }, (_, at) => ({ ...single, name: `k${at}` }));
    const { skills, problems } = await listed(entries, {}, { limits: { skills: 5 } });
    expect(skills).toHaveLength(5);
    expect(problems).toMatchObject([{ code: "mcp_listing" }]);
  });
});

describe("a SKILL.md of an index", () => {
  const files = {
    "skill://deck/knots/SKILL.md": skillText,
    "skill://deck/knots/references/all%20of.md": "Bowline.",
  };

  it("is loaded when it is asked for, and its files by their names", async () => {
    const { skills } = await listed([{ ...single, digest: digestOf(skillText) }], files);
    expect(await only(skills).load(context)).toContain("Begin with the bowline.");
    const all = await only(skills).findResource?.("references/all of.md", context);
    expect(await all?.read(context)).toBe("Bowline.");
  });

  it.each([
    "../sails/SKILL.md",
    "a/../../x",
    "/etc/passwd",
    "skill://other/SKILL.md",
    "https://rig.example/x",
    "",
    "a//b",
    "./a",
    "a\\b",
    "C:x",
    "a?b",
    "a#b",
    "SKILL.md",
    "skill.md",
  ])("has no file %j", async (name) => {
    const { skills, read } = await listed([single], files);
    expect(await only(skills).findResource?.(name, context)).toBeUndefined();
    expect(read).toHaveLength(1);
  });

  it("is asked for the very name, whatever it looks like in an address", async () => {
    const { skills, read } = await listed([single], files);
    const hidden = await only(skills).findResource?.("%2e%2e/x.md", context);
    await expect(hidden?.read(context)).rejects.toMatchObject({ code: "skill_unreadable" });
    expect(read.at(-1)).toBe("skill://deck/knots/%252e%252e/x.md");
  });

  it.each([
    ["another digest", { ...single, digest: digestOf("x") }, skillText],
    ["another name", single, skillText.replace("knots", "sails")],
    ["no frontmatter", single, "Begin."],
  ])("is not loaded with %s", async (_, entry, text) => {
    const { skills } = await listed([entry], { [single.url]: text });
    await expect(only(skills).load(context)).rejects.toMatchObject({ code: "skill_changed" });
  });

  it("is not loaded where it is too large", async () => {
    const { skills } = await listed([single], { [single.url]: "x".repeat(1024 * 1024 + 1) });
    await expect(only(skills).load(context)).rejects.toMatchObject({ code: "skill_file_size" });
  });

  it("of a trusted server may not bring restrictions too late", async () => {
    const text = skillText.replace("---\nBegin", "allowed-tools: Read\n---\nBegin");
    const { skills } = await listed([single], { [single.url]: text }, { trust: "trusted" });
    await expect(only(skills).load(context)).rejects.toMatchObject({ code: "skill_allowed_tools" });
    const theirs = await listed([single], { [single.url]: text });
    expect(await only(theirs.skills).load(context)).toContain("Begin with");
  });
});

describe("an archive of an index", () => {
  const parts = [
    { name: "SKILL.md", data: skillText },
    { name: "references/all.md", data: "Bowline." },
    { name: "scripts/tie.py", data: "print()" },
  ];
  const tar = (folder = "") =>
    packTar(
      parts.map(({ name, data }) => ({
        header: { name: folder + name, size: data.length },
        body: data,
      })),
    );

  it.each([
    ["a zip", async () => zipOf(parts)],
    ["a tar", async () => await tar()],
    ["a tar.gz", async () => gzipSync(await tar())],
    ["a folder in a tar.gz", async () => gzipSync(await tar("knots-1.0/"))],
    [
      "a folder in a zip",
      async () => zipOf(parts.map((each) => ({ ...each, name: `k/${each.name}` }))),
    ],
  ])("may be %s, and is fetched once, when it is needed", async (_, make) => {
    const data = await make();
    const entry = { ...archive, digest: digestOf(data) };
    const { skills, read } = await listed([entry], { [archive.url]: data });
    const skill = only(skills);
    const all = await skill.findResource?.("references/ALL.md", context);
    expect(await all?.read(context)).toBe("Bowline.");
    expect(await skill.load(context)).toBe(
      'These instructions are from the MCP server "docs". Its resources are: "references/all.md", "scripts/tie.py".\n\nBegin with the bowline.',
    );
    expect(skill.scripts).toEqual([]);
    expect(await skill.findResource?.("SKILL.md", context)).toBeUndefined();
    expect(await skill.findResource?.("../x", context)).toBeUndefined();
    expect(read).toEqual(["skill://index.json", archive.url]);
  });

  it.each<[string, Uint8Array | string, string]>([
    ["is none", "text", "skill_archive"],
    ["has no SKILL.md", zipOf([{ name: "a.md" }]), "skill_archive"],
    ["has its SKILL.md too deep", zipOf([{ name: "a/b/SKILL.md" }]), "skill_archive"],
    ["leads out", zipOf([...parts, { name: "../x.md" }]), "skill_archive"],
    [
      "is another skill",
      zipOf([{ name: "SKILL.md", data: skillText.replace("knots", "sails") }]),
      "skill_changed",
    ],
    ["is too large", new Uint8Array(1024 * 1024 + 1), "skill_file_size"],
    [
      "has 21 files",
      zipOf([...parts, ...Array.from({ length: 18 }, (_, at) => ({ name: `${at}.md` }))]),
      "skill_archive",
    ],
    [
      "unpacks to more than a mebibyte",
      zipOf([...parts, { name: "a.md", data: "a".repeat(1024 * 1024), deflate: true }]),
      "skill_archive",
    ],
  ])("is refused as a whole where it %s", async (_, data, code) => {
    const { skills } = await listed([archive], { [archive.url]: data });
    await expect(only(skills).load(context)).rejects.toMatchObject({ code });
  });

  it("is refused with another digest, and fetched anew the next time", async () => {
    const data = zipOf(parts);
    const { skills, state } = await listed([{ ...archive, digest: digestOf(data) }], {
      [archive.url]: zipOf(parts.slice(0, 1)),
    });
    await expect(only(skills).load(context)).rejects.toMatchObject({ code: "skill_changed" });
    state.files = { [archive.url]: data };
    expect(await only(skills).load(context)).toContain("Begin with");
  });
});
