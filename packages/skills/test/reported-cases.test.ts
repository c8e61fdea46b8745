import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { FunctionResultContent } from "@tunic/core";
import { describe, expect, it } from "vitest";
import {
  describeProblem,
  loadSkill,
  type SkillProblem,
  type SkillsSource,
  validateSkill,
} from "../src/index.js";
import { fileSkills } from "../src/node.js";
import { skillText, temporaryFolder } from "./support/folder.js";
import { agentWith, free, text } from "./support/provider.js";
import { contextWith } from "./support/skills.js";

// What users of other libraries have reported, with the inputs that they reported. The ids are those of our
// collection of such reports.

const context = contextWith();

async function resultOf(
  skills: SkillsSource,
  name: "load_skill" | "read_skill_resource",
  args: Record<string, string>,
): Promise<FunctionResultContent> {
  const { agent } = agentWith([{ calls: [{ name, arguments: args }] }, "done"], {
    ...free,
    skills,
  });
  const { messages } = await agent.run("Go.");
  const [result] = messages.flatMap(({ contents }) =>
    contents.filter((content) => content.type === "function_result"),
  );
  if (result === undefined) throw new Error("a result");
  return result;
}

function named(problems: readonly SkillProblem[]): readonly string[] {
  return problems.map(({ code, severity }) => `${severity} ${code}`);
}

describe("B64: byte order mark, line ends, and no line end after the last fence", () => {
  const head = "name: knots\ndescription: Tie knots";
  const texts: readonly (readonly [string, string, string])[] = [
    ["all of it", `\uFEFF---\r\n${head.replace("\n", "\r\n")}\r\n---\r\n\r\nBody`, "\nBody"],
    ["nothing after the fence", `---\n${head}\n---`, ""],
    [
      "the same with a mark and Windows' line ends",
      `\uFEFF---\r\n${head.replace("\n", "\r\n")}\r\n---`,
      "",
    ],
    ["carriage returns only", `---\r${head.replace("\n", "\r")}\r---\rBody\rmore`, "Body\nmore"],
    ["blanks after the fences", `---  \n${head}\n---\t \nBody`, "Body"],
  ];

  it.each(texts)("%s: is read and valid", (_, given, body) => {
    const { frontmatter, body: read } = loadSkill(given, { directory: "knots" });
    expect(frontmatter).toEqual({ name: "knots", description: "Tie knots" });
    expect(read).toBe(body);
    expect(named(validateSkill(given, { directory: "knots" }))).toEqual(
      given.startsWith("\uFEFF") ? ["warning byte_order_mark"] : [],
    );
  });

  it.each(texts)("%s: is told of and loaded from a folder", async (_, given, body) => {
    const source = fileSkills(temporaryFolder({ "knots/SKILL.md": given }), { strict: true });
    const { skills } = await source.list(context);
    expect(skills.map(({ frontmatter }) => frontmatter)).toEqual([
      { name: "knots", description: "Tie knots" },
    ]);
    const loaded = text(await resultOf(source, "load_skill", { skill_name: "knots" }));
    expect(loaded).toBe(`<skill_content name="knots">\n${body.trim()}\n</skill_content>`);
  });
});

describe("B65: a colon without quotes, broken YAML, descriptions that are none", () => {
  const other = { "fine/SKILL.md": skillText("fine") };
  const colon =
    "---\nname: rig\ndescription: Set up the rig: probes, pumps\nallowed-tools: Read\n---\nGo.\n";

  it("reads the value as if it had quotes, keeps the restriction, and says where", async () => {
    const { skills, problems } = await fileSkills(
      temporaryFolder({ ...other, "rig/SKILL.md": colon }),
    ).list(context);
    expect(skills.map(({ frontmatter }) => frontmatter)).toEqual([
      { name: "fine", description: "About fine." },
      { name: "rig", description: "Set up the rig: probes, pumps", allowedTools: ["Read"] },
    ]);
    expect(problems.map(describeProblem)).toEqual([
      expect.stringMatching(/rig\/SKILL\.md:3: warning unquoted_colon: .* Write: description: "/),
    ]);
  });

  it.each([
    ["broken YAML", "name: rig\ndescription: x\na: [1", "yaml_syntax"],
    ["a number", "name: rig\ndescription: 42", "wrong_type"],
    ["an empty text", 'name: rig\ndescription: ""', "description_blank"],
    [
      "more than 1024 characters",
      `name: rig\ndescription: ${"x".repeat(1025)}`,
      "description_length",
    ],
    ["no name", "description: Sets up the rig", "name_missing"],
  ])("refuses %s with file, line and reason; others are not affected", async (_, head, code) => {
    const root = temporaryFolder({ ...other, "rig/SKILL.md": `---\n${head}\n---\nGo.\n` });
    const { skills, problems } = await fileSkills(root).list(context);
    expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual(["fine"]);
    expect(problems).toContainEqual(
      expect.objectContaining({
        severity: "error",
        code,
        file: `${root}/rig/SKILL.md`,
        line: expect.any(Number),
      }),
    );
  });
});

describe("B67: names of skills and of what belongs to them", () => {
  const files = {
    "knots/SKILL.md": skillText("knots"),
    "knots/refs/a.md": "A.",
    "knots/..config.md": "Dots.",
    "knots/big.md": "x".repeat(1024 * 1024 + 1),
    "knots2/SKILL.md": skillText("knots"),
    "a--b/SKILL.md": skillText("a--b"),
    "Knots/SKILL.md": skillText("Knots"),
    "dots/SKILL.md": skillText('".."'),
    "lower/skill.md": skillText("lower"),
    "other/SKILL.md": skillText("other"),
  };

  // Leniently, "Knots" is the same name, and the first.
  const { "Knots/SKILL.md": _, ...single } = files;

  it("strictly, only what keeps the specification is taken, and each refusal is named", async () => {
    const root = temporaryFolder(files);
    const { skills, problems } = await fileSkills(root, { strict: true }).list(context);
    expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual(["knots", "other"]);
    expect(problems.map(({ code, file }) => [code, file?.slice(root.length + 1)])).toEqual([
      ["name_form", "Knots/SKILL.md"],
      ["name_form", "a--b/SKILL.md"],
      ["name_unusable", "dots/SKILL.md"],
      ["name_directory", "dots/SKILL.md"],
      ["name_directory", "knots2/SKILL.md"],
      ["file_name", "lower/skill.md"],
    ]);
  });

  it("of two roots with one skill the first counts, and the other is told of", async () => {
    const [mine, theirs] = [temporaryFolder(files), temporaryFolder(files)];
    const { client, agent } = agentWith(["ok"], { skills: fileSkills([mine, theirs]) });
    const notices: string[] = [];
    agent.events.on("notice", ({ message }) => notices.push(message));
    await agent.run("Go.");
    expect(client.requests[0]?.options.tools).toHaveLength(3);
    expect(notices.join("\n")).toContain(`"other" is left out: "other" from ${mine}/other`);
  });

  it.each(["../../etc/hosts", "..", "/etc/passwd", "knots/../other", "./knots", "C:\\knots"])(
    "load_skill(%j) finds nothing: a name is looked up, never made into a path",
    async (skill_name) => {
      const result = await resultOf(fileSkills(temporaryFolder(files)), "load_skill", {
        skill_name,
      });
      expect(result).toMatchObject({ isError: true, error: { code: "unknown_skill" } });
    },
  );

  it.each([
    "../other/SKILL.md",
    "refs/./a.md",
    "refs/../refs/a.md",
    "/etc/passwd",
    "refs/x.md",
    "refs\\a.md",
    "refs/a.md\0",
    "SKILL.md",
  ])("read_skill_resource(%j) finds nothing", async (resource_name) => {
    const root = temporaryFolder(single);
    const outside = temporaryFolder({ "secret.md": "secret" });
    symlinkSync(join(outside, "secret.md"), join(root, "knots/refs/x.md"));
    const args = { skill_name: "knots", resource_name };
    const result = await resultOf(fileSkills(root), "read_skill_resource", args);
    expect(result).toMatchObject({ isError: true, error: { code: "unknown_resource" } });
    expect(text(result)).not.toContain("secret.md");
  });

  it("a file inside is read, and one of too many bytes is an error", async () => {
    const skills = fileSkills(temporaryFolder(single));
    const reading = async (resource_name: string) =>
      await resultOf(skills, "read_skill_resource", { skill_name: "knots", resource_name });
    expect(text(await reading("refs/a.md"))).toBe("A.");
    expect(text(await reading("..config.md"))).toBe("Dots.");
    expect(await reading("big.md")).toMatchObject({
      isError: true,
      error: { code: "skill_file_size" },
    });
  });
});
