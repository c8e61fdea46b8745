import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillText, temporaryFolder } from "../../test/support/folder.js";
import { runCli } from "./run-cli.js";

async function run(...args: readonly string[]) {
  let out = "";
  let error = "";
  const code = await runCli(args, {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
  });
  return { code, out, error };
}

const broken = "---\nname: rig\ndescription: Sets up: all\n---\nGo.\n";

describe("tunic-skills validate", () => {
  it("passes what keeps the specification", async () => {
    const root = temporaryFolder({ "knots/SKILL.md": skillText("knots"), "knots/tie.py": "" });
    expect(await run("validate", root)).toEqual({ code: 0, out: "1 valid, 0 errors\n", error: "" });
  });

  it("says of what does not where, why, and what to write", async () => {
    const root = temporaryFolder({ "rig/SKILL.md": broken });
    const { code, out, error } = await run("validate", root);
    expect(code).toBe(1);
    expect(out).toBe("0 valid, 1 errors\n");
    expect(error).toMatch(
      /rig\/SKILL\.md:3: error unquoted_colon: .* Write: description: "Sets up: all"\n$/,
    );
    expect(readFileSync(join(root, "rig/SKILL.md"), "utf8")).toBe(broken);
  });

  it("mends with --fix what only lacks quotes", async () => {
    const root = temporaryFolder({ "rig/SKILL.md": broken, "bad/SKILL.md": "nothing" });
    const { code, out, error } = await run("validate", root, "--fix");
    expect(out).toBe(`${root}/rig/SKILL.md: mended\n1 valid, 1 errors\n`);
    expect(error).toContain("bad/SKILL.md:1: error no_frontmatter");
    expect(code).toBe(1);
    const text = readFileSync(join(root, "rig/SKILL.md"), "utf8");
    expect(text).toBe('---\nname: rig\ndescription: "Sets up: all"\n---\nGo.\n');
  });

  it("mends nothing over a link", async () => {
    const outside = temporaryFolder({ "SKILL.md": broken });
    const root = temporaryFolder({ "rig/x.md": "" });
    symlinkSync(join(outside, "SKILL.md"), join(root, "rig/SKILL.md"));
    expect((await run("validate", root, "--fix")).code).toBe(1);
    expect(readFileSync(join(outside, "SKILL.md"), "utf8")).toBe(broken);
  });

  it("speaks JSON", async () => {
    const root = temporaryFolder({ "rig/SKILL.md": broken });
    const { code, out } = await run("validate", root, "--json", "--fix");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      valid: ["rig"],
      fixed: [`${root}/rig/SKILL.md`],
      problems: [],
    });
  });

  it("fails where there is nothing to check", async () => {
    const root = temporaryFolder();
    expect((await run("validate", root)).code).toBe(1);
    expect((await run("validate", join(root, "none"))).code).toBe(1);
  });
});

describe("tunic-skills list and show", () => {
  it("list gives names and descriptions, and what is wrong", async () => {
    const root = temporaryFolder({ "knots/SKILL.md": skillText("knots"), "rig/SKILL.md": broken });
    const { code, out, error } = await run("list", root);
    expect(out).toBe("knots: About knots.\nrig: Sets up: all\n");
    expect(error).toContain("warning unquoted_colon");
    expect(code).toBe(0);
  });

  it("show gives all of one", async () => {
    const root = temporaryFolder({
      "knots/SKILL.md": skillText("knots"),
      "knots/a.md": "",
      "rig/SKILL.md": broken,
    });
    const { code, out } = await run("show", root, "--name", "knots", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out).skills).toEqual([
      {
        name: "knots",
        description: "About knots.",
        folder: expect.stringMatching(/knots$/),
        resources: ["a.md"],
        scripts: [],
        instructions: "Do knots.\n",
      },
    ]);
    expect((await run("show", root)).out).toContain("Do knots.\n");
    expect((await run("show", root, "--name", "none")).code).toBe(1);
  });

  it("gives a terminal nothing to obey", async () => {
    const text = '---\nname: rig\ndescription: "red \\e[31m"\n---\n\u001B[2J\n';
    const root = temporaryFolder({ "rig/SKILL.md": text });
    for (const command of ["list", "show"]) {
      const { out } = await run(command, root);
      expect(out).toContain("\\u{1b}[31m");
      expect(out).not.toContain("\u001B");
    }
  });
});

describe("wrong arguments", () => {
  it.each([
    [[]],
    [["validate"]],
    [["check", "."]],
    [["list", ".", "--fix"]],
    [["list", ".", "--x"]],
  ])("%j: usage, and exit code 2", async (args) => {
    const { code, error } = await run(...args);
    expect(code).toBe(2);
    expect(error).toContain("tunic-skills validate");
  });
});
