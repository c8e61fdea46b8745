import { getEventListeners } from "node:events";
import { dataContent } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { mcpSkills, type Skill, type SkillProblem, type SkillResource } from "../src/index.js";
import { connected, listedSkill, type Served, type ServerOptions } from "./support/mcp.js";
import { contextWith } from "./support/skills.js";

const context = contextWith();

async function listed(
  files: Served,
  server: ServerOptions = {},
  more: Partial<Parameters<typeof mcpSkills>[1]> = {},
) {
  const { client, listSkills, read, state } = await connected(files, server);
  const source = mcpSkills(client, {
    name: "docs",
    ...(server.pages !== undefined && { listSkills }),
    ...more,
  });
  const { skills, problems } = await source.list(context);
  return { skills, problems, read, state, source };
}

function only(skills: readonly Skill[]): Skill {
  const [skill] = skills;
  if (skill === undefined || skills.length !== 1) throw new Error(`${skills.length} skills`);
  return skill;
}

function resource({ resources }: Skill, name: string): SkillResource {
  const found = resources.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

function codes(problems: readonly SkillProblem[]): readonly string[] {
  return problems.map(({ code }) => code);
}

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]);
const knots = listedSkill("deck/knots", { "references/all.md": "Bowline.", "all.png": png });
const page = { skills: [knots.entry] };

describe("skills of skills/list", () => {
  it("are told of without a file being read", async () => {
    const { skills, problems, read } = await listed(knots.files, { pages: [page] });
    expect(problems).toEqual([]);
    expect(only(skills)).toMatchObject({
      frontmatter: { name: "knots", description: "Ties knots." },
      origin: "docs",
      trust: "untrusted",
      scripts: [],
    });
    expect(only(skills).resources.map(({ name }) => name)).toEqual([
      "references/all.md",
      "all.png",
    ]);
    expect(read).toEqual([]);
  });

  it("say whose they are when they are loaded, and read one file at a time", async () => {
    const { skills, read } = await listed(knots.files, { pages: [page] });
    const skill = only(skills);
    expect(await skill.load(context)).toBe(
      'These instructions are from the MCP server "docs".\n\nBegin with deck/knots.',
    );
    expect(await resource(skill, "references/all.md").read(context)).toBe("Bowline.");
    expect(await resource(skill, "all.png").read(context)).toEqual(
      dataContent(png, "image/png", { name: "all.png" }),
    );
    expect(read).toEqual([
      "skill://deck/knots/SKILL.md",
      "skill://deck/knots/references/all.md",
      "skill://deck/knots/all.png",
    ]);
  });

  it("come page by page", async () => {
    const pages = [{ ...page, nextCursor: "1" }, { skills: [listedSkill("sails").entry] }];
    const { skills } = await listed({}, { pages });
    expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual(["knots", "sails"]);
  });

  it("end where a server goes on forever", async () => {
    const pages = [
      { ...page, nextCursor: "1" },
      { ...page, nextCursor: "0" },
    ];
    const { skills, problems } = await listed({}, { pages }, { limits: { skills: 7 } });
    expect(skills).toHaveLength(7);
    expect(codes(problems)).toContain("mcp_listing");
  });

  it("are those of the index where the server has no such method", async () => {
    const index = { skills: [indexed("skill-md", "knots", "skill://knots/SKILL.md")] };
    const { skills } = await listed(
      { "skill://index.json": JSON.stringify(index) },
      { pages: [-32601] },
    );
    expect(only(skills).frontmatter.name).toBe("knots");
  });

  it.each([-32603, -32000])("fail where the server fails with %i", async (code) => {
    await expect(listed({}, { pages: [code] })).rejects.toMatchObject({ code });
    await expect(listed({}, { pages: [{ ...page, nextCursor: "1" }, code] })).rejects.toMatchObject(
      {
        code,
      },
    );
  });

  it.each([{}, { skills: "all" }])(
    "are none, with an error, where the server says %j",
    async (answer) => {
      const { skills, problems } = await listed({}, { pages: [answer] });
      expect(skills).toEqual([]);
      expect(problems).toMatchObject([{ severity: "error", code: "mcp_listing", file: "docs" }]);
    },
  );

  it("are called by their paths where they share a name", async () => {
    const list = ["billing/refunds", "support/refunds", "refunds", "knots"].map((path) =>
      listedSkill(path),
    );
    const { skills, problems } = await listed(
      Object.assign({}, ...list.map(({ files }) => files)),
      { pages: [{ skills: list.map(({ entry }) => entry) }] },
    );
    expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual([
      "billing/refunds",
      "support/refunds",
      "refunds",
      "knots",
    ]);
    expect(codes(problems)).toEqual(["mcp_same_name", "mcp_same_name"]);
    expect(await skills[1]?.load(context)).toContain("Begin with support/refunds.");
  });

  it("have what their author wrote, and may not say what tools do", async () => {
    const fields = {
      metadata: { at: "2026-01-31" },
      license: "MIT",
      "allowed-tools": "Bash",
      x: 1,
    };
    const { entry, files } = listedSkill("knots", {}, fields);
    const { skills, problems } = await listed(files, { pages: [{ skills: [entry] }] });
    expect(only(skills).frontmatter).toEqual({
      name: "knots",
      description: "Ties knots.",
      metadata: { at: "2026-01-31" },
      license: "MIT",
    });
    expect(codes(problems)).toEqual(["unknown_field", "mcp_allowed_tools"]);
    expect(await only(skills).load(context)).toContain("Begin with knots.");
    const ours = await listed(files, { pages: [{ skills: [entry] }] }, { trust: "trusted" });
    expect(only(ours.skills)).toMatchObject({
      trust: "trusted",
      frontmatter: { allowedTools: ["Bash"] },
    });
  });

  const { entry } = knots;
  const [skillFile, all] = entry.resources;
  it.each<[string, unknown, string]>([
    ["no entry", 7, "mcp_entry"],
    [
      "the address of something else",
      { ...entry, uri: "skill://deck/knots/README.md" },
      "mcp_entry",
    ],
    ["no address", { ...entry, uri: "SKILL.md" }, "mcp_entry"],
    ["a way up in the address", { ...entry, uri: "skill://deck/../knots/SKILL.md" }, "mcp_entry"],
    ["a hidden way up", { ...entry, uri: "skill://deck/%2e%2e/knots/SKILL.md" }, "mcp_entry"],
    ["a question in the address", { ...entry, uri: "skill://knots?/SKILL.md" }, "mcp_entry"],
    ["no frontmatter", { ...entry, frontmatter: undefined }, "mcp_entry"],
    ["another folder", { ...entry, uri: "skill://deck/sails/SKILL.md" }, "mcp_entry"],
    ["no description", { ...entry, frontmatter: { name: "knots" } }, "description_missing"],
    [
      "a name that is none",
      {
        ...entry,
        frontmatter: { ...entry.frontmatter, name: "Knots" },
        uri: "skill://Knots/SKILL.md",
      },
      "mcp_name",
    ],
    [
      "endless frontmatter",
      { ...entry, frontmatter: { ...entry.frontmatter, x: "x".repeat(70_000) } },
      "mcp_entry",
    ],
    ["no manifest", { ...entry, resources: undefined }, "mcp_manifest"],
    ["no SKILL.md", { ...entry, resources: [all] }, "mcp_manifest"],
    ["a file twice", { ...entry, resources: [skillFile, all, all] }, "mcp_manifest"],
    [
      "two names that differ in case",
      {
        ...entry,
        resources: [skillFile, all, { ...all, uri: "skill://deck/knots/References/all.md" }],
      },
      "mcp_manifest",
    ],
    [
      "a file of another skill",
      { ...entry, resources: [skillFile, { ...all, uri: "skill://deck/knotsy/all.md" }] },
      "mcp_manifest",
    ],
    [
      "a file above",
      { ...entry, resources: [skillFile, { ...all, uri: "skill://deck/knots/%2E%2E/x.md" }] },
      "mcp_manifest",
    ],
    [
      "a slash in disguise",
      { ...entry, resources: [skillFile, { ...all, uri: "skill://deck/knots/..%2Fx.md" }] },
      "mcp_manifest",
    ],
    [
      "a file without a digest",
      { ...entry, resources: [{ ...skillFile, digest: "" }] },
      "mcp_manifest",
    ],
    [
      "a file without a size",
      { ...entry, resources: [{ ...skillFile, size: -1 }] },
      "mcp_manifest",
    ],
    ["too many bytes", { ...entry, resources: [{ ...skillFile, size: 2 ** 25 }] }, "mcp_manifest"],
    [
      "too many files",
      {
        ...entry,
        resources: Array.from({ length: 513 }, (_, at) => ({
          ...all,
          uri: `skill://deck/knots/${at}.md`,
        })),
      },
      "mcp_manifest",
    ],
  ])("are left out, with an error, for %s", async (_, wrong, code) => {
    const pages = [{ skills: [wrong, listedSkill("sails").entry] }];
    const { skills, problems } = await listed(knots.files, { pages });
    expect(only(skills).frontmatter.name).toBe("sails");
    expect(problems.filter(({ severity }) => severity === "error")).toMatchObject([{ code }]);
  });

  it("may have 512 files", async () => {
    const files = Object.fromEntries(Array.from({ length: 511 }, (_, at) => [`${at}.md`, "x"]));
    const many = listedSkill("knots", files);
    const { skills } = await listed(many.files, { pages: [{ skills: [many.entry] }] });
    expect(only(skills).resources).toHaveLength(511);
  });

  it.each<[string, string, string]>([
    ["another text of the same length", "SKILL.md", knotsText("Begin with deck/knotz.")],
    ["a longer text", "SKILL.md", knotsText("Begin with deck/knots, and more.")],
    ["another file", "references/all.md", "Reef it."],
  ])("are not used where the server then gives %s", async (_, name, given) => {
    const { skills, state } = await listed(knots.files, { pages: [page] });
    state.files = { ...knots.files, [`skill://deck/knots/${name}`]: given };
    const skill = only(skills);
    const used = async () =>
      name === "SKILL.md" ? await skill.load(context) : await resource(skill, name).read(context);
    await expect(used()).rejects.toMatchObject({ code: "skill_changed" });
  });

  it("are not loaded where the frontmatter is not the one that was stated", async () => {
    const stated = { ...knots.entry, frontmatter: { ...knots.entry.frontmatter, license: "MIT" } };
    const { skills } = await listed(knots.files, { pages: [{ skills: [stated] }] });
    await expect(only(skills).load(context)).rejects.toMatchObject({ code: "skill_changed" });
  });

  it("give a text as an error that a model understands where a file is gone", async () => {
    const { skills, state } = await listed(knots.files, { pages: [page] });
    state.files = {};
    await expect(only(skills).load(context)).rejects.toMatchObject({ code: "skill_unreadable" });
    state.files = { "skill://deck/knots/SKILL.md": -32603 };
    await expect(only(skills).load(context)).rejects.toMatchObject({ code: -32603 });
  });

  it("may be made anew each time, and are then held to their frontmatter", async () => {
    const dynamic = { ...knots.entry, resources: "dynamic" };
    const { skills, state } = await listed(knots.files, { pages: [{ skills: [dynamic] }] });
    const skill = only(skills);
    state.files = { ...knots.files, "skill://deck/knots/SKILL.md": knotsText("Something else.") };
    expect(await skill.load(context)).toContain("Something else.");
    const all = await skill.findResource?.("references/all.md", context);
    expect(await all?.read(context)).toBe("Bowline.");
    state.files = { "skill://deck/knots/SKILL.md": knotsText("x").replace("Ties", "Cuts") };
    await expect(skill.load(context)).rejects.toMatchObject({ code: "skill_changed" });
  });

  it("leave no listener on the signal of a run", async () => {
    const { signal } = new AbortController();
    const { client, listSkills } = await connected(knots.files, { pages: [page] });
    const { skills } = await mcpSkills(client, { name: "docs", listSkills }).list({ signal });
    await only(skills).load({ signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("stop with the run", async () => {
    const { skills } = await listed(knots.files, { pages: [page] });
    const controller = new AbortController();
    controller.abort(new Error("gone"));
    await expect(only(skills).load({ signal: controller.signal })).rejects.toThrow();
  });
});

function knotsText(body: string): string {
  return `---\nname: "knots"\ndescription: "Ties knots."\n---\n${body}\n`;
}

function indexed(type: string, name: string, url: string, more: object = {}) {
  return { type, name, url, description: "Ties knots.", ...more };
}

describe("files of a skill that are no texts", () => {
  it.each<[string, Uint8Array]>([
    ["in another encoding", new Uint8Array([0xff, 0xfe, 0x41])],
    ["with a zero byte", new Uint8Array([0x41, 0, 0x42])],
  ])("are not read where they are %s", async (_, data) => {
    const { entry, files } = listedSkill("knots", { "a.md": data });
    const { skills } = await listed(files, { pages: [{ skills: [entry] }] });
    await expect(resource(only(skills), "a.md").read(context)).rejects.toMatchObject({
      code: "skill_encoding",
    });
  });
});
