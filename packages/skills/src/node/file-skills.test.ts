import { describe, expect, it } from "vitest";
import { skillText, temporaryFolder } from "../../test/support/folder.js";
import { contextWith } from "../../test/support/skills.js";
import type { FileSkillsOptions, SkillsRoot } from "./file-options.js";
import { fileSkills } from "./file-skills.js";

const context = contextWith();

async function listed(root: string | SkillsRoot, options: FileSkillsOptions = {}) {
  const { skills, problems } = await fileSkills(root, options).list(context);
  const path = typeof root === "string" ? root : root.path;
  return {
    skills,
    names: skills.map(({ frontmatter }) => frontmatter.name),
    problems: problems.map(({ code, file = "" }) => [code, file.replace(`${path}/`, "")]),
  };
}

describe("fileSkills", () => {
  it("finds skills to two folders below a root, sorted by path", async () => {
    const root = temporaryFolder({
      "sails/SKILL.md": skillText("sails"),
      "Boats/SKILL.md": skillText("Boats"),
      "deck/knots/SKILL.md": skillText("knots"),
      "deck/a/deep/SKILL.md": skillText("deep"),
      "README.md": "no skill",
    });
    expect((await listed(root)).names).toEqual(["Boats", "knots", "sails"]);
    expect((await listed(root, { depth: 1 })).names).toEqual(["Boats", "sails"]);
    expect((await listed(root, { depth: 3 })).names).toEqual(["Boats", "deep", "knots", "sails"]);
  });

  it("takes a root that is itself a skill", async () => {
    const root = temporaryFolder({ "knots/SKILL.md": skillText("knots") });
    expect((await listed(`${root}/knots`, { depth: 0 })).names).toEqual(["knots"]);
  });

  it("counts what is inside a skill to it, another SKILL.md too", async () => {
    const root = temporaryFolder({
      "knots/SKILL.md": skillText("knots"),
      "knots/inner/SKILL.md": skillText("inner"),
    });
    const { skills, names } = await listed(root);
    expect(names).toEqual(["knots"]);
    expect(skills[0]?.resources.map(({ name }) => name)).toEqual(["inner/SKILL.md"]);
  });

  it("reads body, resources and pictures when it is asked for them", async () => {
    const root = temporaryFolder({
      "knots/SKILL.md": skillText("knots"),
      "knots/table.CSV": "\uFEFFname,turns\n",
      "knots/references/all.md": "All.",
      "knots/pictures/bowline.png": Uint8Array.of(1, 2, 3),
    });
    const options = { resourceExtensions: [".md", ".csv", ".png"] };
    const [skill] = (await listed(root, options)).skills;
    expect(await skill?.load(context)).toBe("Do knots.\n");
    const read = (skill?.resources ?? []).map(async ({ name, read: get }) => [
      name,
      await get(context),
    ]);
    expect(await Promise.all(read)).toEqual([
      ["table.CSV", "name,turns\n"],
      ["pictures/bowline.png", expect.objectContaining({ type: "data", mediaType: "image/png" })],
      ["references/all.md", "All."],
    ]);
  });

  it("takes resources by extension, depth and filter, and nothing hidden", async () => {
    const root = temporaryFolder({
      "knots/SKILL.md": skillText("knots"),
      "knots/a.md": "",
      "knots/b.exe": "",
      "knots/.env.json": "",
      "knots/.git/config.json": "",
      "knots/node_modules/x/y.md": "",
      "knots/1/2/c.md": "",
      "knots/1/2/3/d.md": "",
      "knots/secret.md": "",
    });
    const options = {
      resourceFilter: (skill: string, path: string) => skill !== "knots" || path !== "secret.md",
    };
    const { skills, problems } = await listed(root, options);
    expect(skills[0]?.resources.map(({ name }) => name)).toEqual(["a.md", "1/2/c.md"]);
    expect(problems).toEqual([]);
  });

  it("has scripts where somebody runs them, and says so where nobody does", async () => {
    const root = temporaryFolder({
      "knots/SKILL.md": skillText("knots"),
      "knots/scripts/tie.py": "print(1)",
      "knots/scripts/no.sh": "",
    });
    const none = await listed(root, { scriptFilter: (_, path) => path !== "scripts/no.sh" });
    expect(none.skills[0]?.scripts).toEqual([]);
    expect(none.problems).toEqual([["no_script_runner", "knots/scripts/tie.py"]]);
    const { skills } = await listed(root, {
      scriptRunner: ({ skill, name, folder, source }, argv, asked) => [
        skill,
        name,
        folder.endsWith("/knots"),
        new TextDecoder().decode(source),
        argv,
        asked === context,
      ],
    });
    const scripts = skills[0]?.scripts ?? [];
    expect(scripts.map(({ name }) => name)).toEqual(["scripts/no.sh", "scripts/tie.py"]);
    expect(skills[0]?.resources).toEqual([]);
    expect(await scripts[1]?.run({ argv: ["-n", "2"] }, context)).toEqual([
      "knots",
      "scripts/tie.py",
      true,
      "print(1)",
      ["-n", "2"],
      true,
    ]);
  });

  it("says of each refused skill where and why, and takes the others", async () => {
    const root = temporaryFolder({
      "a/SKILL.md": "no frontmatter",
      "b/SKILL.md": skillText("b"),
      "c/SKILL.md": Uint8Array.of(0x2d, 0xff, 0xfe),
      "d/SKILL.md": `${skillText("d")}\0`,
      "e/SKILL.md": skillText("e", "", "x".repeat(2000)),
      "f/skill.md": skillText("f"),
      "g/SKILL.md": skillText("other"),
    });
    const { names, problems } = await listed(root, { maxFileSize: 1000 });
    expect(names).toEqual(["b", "f", "other"]);
    expect(problems).toEqual([
      ["no_frontmatter", "a/SKILL.md"],
      ["encoding", "c/SKILL.md"],
      ["encoding", "d/SKILL.md"],
      ["file_size", "e/SKILL.md"],
      ["file_name", "f/skill.md"],
      ["name_directory", "g/SKILL.md"],
    ]);
  });

  it("takes, when told to be strict, only what keeps the specification", async () => {
    const root = temporaryFolder({
      "knots/SKILL.md": skillText("knots"),
      "knots2/SKILL.md": skillText("knots"),
      "a--b/SKILL.md": skillText("a--b"),
      "Sails/SKILL.md": skillText("Sails"),
      "lower/skill.md": skillText("lower"),
    });
    const { names, problems } = await listed(root, { strict: true });
    expect(names).toEqual(["knots"]);
    expect(problems.map(([code]) => code)).toEqual([
      "name_form",
      "name_form",
      "name_directory",
      "file_name",
    ]);
  });

  it("calls a skill untrusted where its root is", async () => {
    const root = temporaryFolder({ "knots/SKILL.md": skillText("knots") });
    const [mine, theirs] = await Promise.all([
      listed(root),
      listed({ path: root, trust: "untrusted" }),
    ]);
    expect(mine.skills[0]?.trust).toBe("trusted");
    expect(theirs.skills[0]?.trust).toBe("untrusted");
  });

  it("says that a root is not there", async () => {
    const root = temporaryFolder();
    const { problems } = await fileSkills([`${root}/none`, root]).list(context);
    expect(problems).toMatchObject([{ severity: "warning", code: "root_missing" }]);
  });

  it("looks into no more folders than it may, and says so once", async () => {
    const root = temporaryFolder(
      Object.fromEntries(["a", "b", "c", "d"].map((name) => [`${name}/x.md`, ""])),
    );
    const { problems } = await listed(root, { maxFolders: 2 });
    expect(problems.map(([code]) => code)).toEqual(["too_many_folders"]);
  });

  it("stops when it is told to", async () => {
    const root = temporaryFolder({ "knots/SKILL.md": skillText("knots") });
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(fileSkills(root).list({ signal })).rejects.toThrow("enough");
  });

  it.each<[string, () => unknown]>([
    ["an empty path", () => fileSkills("")],
    ["another trust", () => fileSkills({ path: "x", trust: "yes" as "trusted" })],
    ["a negative depth", () => fileSkills("x", { depth: -1 })],
    ["an extension without a dot", () => fileSkills("x", { resourceExtensions: ["md"] })],
    ["an extension for both", () => fileSkills("x", { scriptExtensions: [".MD"] })],
    ["an unknown option", () => fileSkills("x", { deep: 1 } as FileSkillsOptions)],
  ])("refuses %s", (_, make) => {
    expect(make).toThrow(TypeError);
  });
});
