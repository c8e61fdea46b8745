import { describe, expect, it } from "vitest";
import { loadSkill } from "../src/index.js";
import { type FileSkillsOptions, fileSkills } from "../src/node.js";
import { skillText, temporaryFolder } from "./support/folder.js";
import { contextWith } from "./support/skills.js";

// The files of the checklist; what it is, and where we do otherwise, stands in checklist.test.ts.

const context = contextWith();

async function listed(files: Record<string, string>, options: FileSkillsOptions = {}) {
  const root = temporaryFolder(files);
  const { skills, problems } = await fileSkills(root, options).list(context);
  return {
    names: skills.map(({ frontmatter }) => frontmatter.name),
    resources: skills.flatMap(({ resources }) => resources.map(({ name }) => name)),
    scripts: skills.flatMap(({ scripts }) => scripts.map(({ name }) => name)),
    problems: problems.map(({ code }) => code),
  };
}

describe("checklist: files", () => {
  const tree = {
    "b/SKILL.md": skillText("b"),
    "a/SKILL.md": skillText("a"),
    "x/c/SKILL.md": skillText("c"),
    "x/y/d/SKILL.md": skillText("d"),
    "a/inner/SKILL.md": skillText("inner"),
  };

  it.each<
    [string, Record<string, string>, FileSkillsOptions, Awaited<ReturnType<typeof listed>>["names"]]
  >([
    ["to two folders below a root, sorted", tree, {}, ["a", "b", "c"]],
    ["to the depth that is asked for", tree, { depth: 3 }, ["a", "b", "c", "d"]],
    ["in the root only", tree, { depth: 0 }, []],
    ["in no empty root", {}, {}, []],
  ])("discovery %s", async (_, files, options, expected) => {
    expect((await listed(files, options)).names).toEqual(expected);
  });

  const parts = {
    "a/SKILL.md": skillText("a"),
    ...Object.fromEntries(
      ["md", "json", "yaml", "yml", "csv", "xml", "txt", "exe", "MD"].map((each) => [
        `a/r.${each}`,
        "",
      ]),
    ),
    "a/1/one.md": "",
    "a/1/2/two.md": "",
    "a/1/2/3/three.md": "",
    "a/s.py": "",
  };
  const flat = ["r.MD", "r.csv", "r.json", "r.md", "r.txt", "r.xml", "r.yaml", "r.yml"];

  it.each<[string, FileSkillsOptions, readonly string[]]>([
    [
      "by seven extensions, whatever their case, to depth two",
      {},
      [...flat, "1/one.md", "1/2/two.md"],
    ],
    ["to the depth that is asked for", { resourceDepth: 1 }, [...flat, "1/one.md"]],
    ["by other extensions", { resourceExtensions: [".exe"] }, ["r.exe"]],
    [
      "by a filter of skill and path",
      { resourceFilter: (skill, path) => `${skill}/${path}` === "a/1/one.md" },
      ["1/one.md"],
    ],
  ])("resources %s; the skill file and scripts are none", async (_, options, expected) => {
    expect((await listed(parts, options)).resources).toEqual(expected);
  });

  it("scripts by extension and filter, with a runner only", async () => {
    const scriptRunner = () => "ran";
    expect((await listed(parts)).scripts).toEqual([]);
    expect((await listed(parts)).problems).toEqual(["no_script_runner"]);
    expect((await listed(parts, { scriptRunner })).scripts).toEqual(["s.py"]);
    expect((await listed(parts, { scriptRunner, scriptFilter: () => false })).scripts).toEqual([]);
  });

  it("several roots, one after the other; a missing one is a remark", async () => {
    const [one, two] = [
      temporaryFolder({ "z/SKILL.md": skillText("z") }),
      temporaryFolder({ "a/SKILL.md": skillText("a") }),
    ];
    const listing = await fileSkills([one, `${one}/none`, two]).list(context);
    expect(listing.skills.map(({ frontmatter }) => frontmatter.name)).toEqual(["z", "a"]);
    expect(listing.problems.map(({ code }) => code)).toEqual(["root_missing"]);
  });
});

describe("checklist: frontmatter", () => {
  const rows: readonly (readonly [string, string, object | undefined])[] = [
    [
      "64 characters of a name",
      `name: ${"n".repeat(64)}\ndescription: d`,
      { name: "n".repeat(64) },
    ],
    ["a blank name", 'name: " "\ndescription: d', undefined],
    [
      "1024 characters of a description",
      `name: n\ndescription: ${"d".repeat(1024)}`,
      { name: "n" },
    ],
    ["1025 of them", `name: n\ndescription: ${"d".repeat(1025)}`, undefined],
    ["a blank description", 'name: n\ndescription: "  "', undefined],
    ["no description", "name: n", undefined],
    [
      "500 characters of compatibility",
      `name: n\ndescription: d\ncompatibility: ${"c".repeat(500)}`,
      { compatibility: "c".repeat(500) },
    ],
    [
      "a literal block",
      "name: n\ndescription: |\n  one: 1\n\n  two\nlicense: MIT",
      { description: "one: 1\n\ntwo", license: "MIT" },
    ],
    [
      "a literal block that keeps its end",
      "name: n\ndescription: |+\n  one\n\nlicense: MIT",
      { description: "one" },
    ],
    [
      "a folded block without its end",
      "name: n\ndescription: >-\n  one\n  two",
      { description: "one two" },
    ],
    [
      "quotes of both kinds",
      'name: \'n\'\ndescription: "a \\"b\\""',
      { name: "n", description: 'a "b"' },
    ],
    [
      "metadata, which overrides nothing",
      "name: n\ndescription: d\nmetadata:\n  name: other\n  author: kim",
      { name: "n", metadata: { name: "other", author: "kim" } },
    ],
    [
      "allowed tools",
      "name: n\ndescription: d\nallowed-tools: Read Write",
      { allowedTools: ["Read", "Write"] },
    ],
  ];

  it.each(rows)("%s", (_, head, expected) => {
    const { frontmatter } = loadSkill(`---\n${head}\n---\nBody`);
    if (expected === undefined) expect(frontmatter).toBeUndefined();
    else expect(frontmatter).toMatchObject(expected);
  });

  it("a folder of another name: refused when strict, a warning otherwise", async () => {
    const files = { "a/SKILL.md": skillText("b") };
    expect(await listed(files, { strict: true })).toMatchObject({
      names: [],
      problems: ["name_directory"],
    });
    expect(await listed(files)).toMatchObject({ names: ["b"], problems: ["name_directory"] });
  });
});
