import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillText, temporaryFolder, writeFiles } from "../../test/support/folder.js";
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
    expect(await run("validate", root)).toEqual({
      code: 0,
      out: "1 of 1 skill in order, 0 errors, 0 warnings\n",
      error: "",
    });
  });

  it("says of what does not where, why, and what to write", async () => {
    const root = temporaryFolder({ "rig/SKILL.md": broken });
    const { code, out, error } = await run("validate", root);
    expect(code).toBe(1);
    expect(error).toBe("");
    expect(out).toMatch(
      /rig\/SKILL\.md:3: error unquoted_colon: .* Write: description: "Sets up: all"\n0 of 1 skill in order, 1 error, 0 warnings\n$/,
    );
    expect(readFileSync(join(root, "rig/SKILL.md"), "utf8")).toBe(broken);
  });

  it("mends with --fix what only lacks quotes", async () => {
    const root = temporaryFolder({ "rig/SKILL.md": broken, "bad/SKILL.md": "nothing" });
    const { code, out } = await run("validate", root, "--fix");
    expect(out).toMatch(/rig\/SKILL\.md: mended\n.*bad\/SKILL\.md:1: error no_frontmatter: .*\n/);
    expect(out).toMatch(/\n1 of 2 skills in order, 1 error, 0 warnings\n$/);
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

  it("does not count a skill as in order where an error is in its folder", async () => {
    const root = temporaryFolder({ "knots/SKILL.md": skillText("knots") });
    symlinkSync(root, join(root, "knots/all"));
    const { code, out } = await run("validate", root);
    expect(code).toBe(1);
    expect(out).toMatch(
      /knots\/all: error link: .*\n0 of 1 skill in order, 1 error, 0 warnings\n$/,
    );
    expect(JSON.parse((await run("validate", root, "--json")).out).valid).toEqual([]);
  });

  it("takes a SKILL.md for its folder, and no other file", async () => {
    const root = temporaryFolder({ "knots/SKILL.md": skillText("knots"), "rig/SKILL.md": broken });
    const { code, out } = await run("validate", join(root, "knots/SKILL.md"));
    expect({ code, out }).toEqual({
      code: 0,
      out: "1 of 1 skill in order, 0 errors, 0 warnings\n",
    });
    writeFiles(root, { "knots/more.md": "" });
    const other = await run("validate", join(root, "knots/more.md"));
    expect(other.code).toBe(2);
    expect(other.error).toMatch(/knots\/more\.md is a file; write a folder, or a SKILL\.md\.\n/);
  });

  it("fails where there is nothing to check, and says how deep it looked", async () => {
    const root = temporaryFolder({ "a/b/c/SKILL.md": skillText("c") });
    const { code, out } = await run("validate", root);
    expect(code).toBe(1);
    expect(out).toBe(
      `${root}: no skill found; a SKILL.md is looked for in it or in folders up to 2 below it.\n0 of 0 skills in order, 0 errors, 0 warnings\n`,
    );
    const json = await run("validate", root, "--json");
    expect(JSON.parse(json.out)).toEqual({ valid: [], fixed: [], problems: [] });
    expect(json.error).toContain("no skill found");
    const none = await run("validate", join(root, "none"));
    expect(none.code).toBe(1);
    expect(none.out).toContain("root_missing");
    expect(none.out).not.toContain("no skill found");
  });

  it("fails where one of several folders is missing, and tells of one without skills", async () => {
    const root = temporaryFolder({ "full/knots/SKILL.md": skillText("knots"), "empty/x.md": "" });
    const [full, empty, none] = [join(root, "full"), join(root, "empty"), join(root, "none")];
    expect((await run("validate", full, none)).code).toBe(1);
    const { code, out } = await run("validate", full, empty);
    expect(code).toBe(0);
    expect(out).toMatch(/empty: no skill found.*\n1 of 1 skill in order, 0 errors, 0 warnings\n$/);
  });
});

describe("tunic-skills list and show", () => {
  it("list gives names, descriptions and folders, and what is wrong", async () => {
    const root = temporaryFolder({ "knots/SKILL.md": skillText("knots"), "rig/SKILL.md": broken });
    const { code, out, error } = await run("list", root);
    expect(out).toBe(`knots: About knots.\n  ${root}/knots\nrig: Sets up: all\n  ${root}/rig\n`);
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
        leftOut: [],
        instructions: "Do knots.\n",
      },
    ]);
    expect((await run("show", root)).out).toContain("Do knots.\n");
  });

  it.each(["list", "show"])(
    "%s gives what an agent would load: the first of a name",
    async (command) => {
      const root = temporaryFolder({
        "one/knots/SKILL.md": skillText("knots", "", "Ours.\n"),
        "two/Knots/SKILL.md": skillText("Knots", "", "Theirs.\n"),
      });
      const folders = [join(root, "one"), join(root, "two")];
      for (const args of [folders, [...folders, "--name", "KNOTS"]]) {
        const { code, out, error } = await run(command, ...args);
        expect(code).toBe(0);
        expect(out).toContain("/one/knots\n");
        expect(out).not.toMatch(/Theirs|Knots\n/);
        expect(error).toMatch(/two\/Knots: warning duplicate_skill: .*one\/knots comes first/);
      }
      const { skills } = JSON.parse((await run(command, ...folders, "--json")).out);
      expect(skills).toEqual([expect.objectContaining({ name: "knots" })]);
    },
  );

  it("show tells which files an agent does not get to see, and why", async () => {
    const root = temporaryFolder({
      "knots/SKILL.md": skillText("knots"),
      "knots/a.md": "",
      "knots/run.py": "",
      "knots/run.cjs": "",
      "knots/LICENSE": "",
      "knots/.env": "",
      "knots/.git/config": "",
      "knots/node_modules/x/index.js": "",
      "knots/assets/logo.svg": "",
      "knots/1/2/3/deep.md": "",
      "knots/1/2/two.md": "",
    });
    symlinkSync(join(root, "knots/a.md"), join(root, "knots/b.md"));
    const { out } = await run("show", root);
    expect(out).toContain('resources: ["a.md","1/2/two.md"]\nscripts: ["run.cjs","run.py"]\n');
    expect(out.match(/^left out: .*$/gm)).toEqual([
      "left out: .env (hidden)",
      "left out: .git/ (hidden)",
      "left out: 1/2/3/ (more than 2 folders deep)",
      "left out: LICENSE (it has no extension)",
      "left out: assets/logo.svg (.svg is neither an extension of resources nor of scripts)",
      "left out: b.md (a link)",
      "left out: node_modules/ (hidden)",
    ]);
    const [skill] = JSON.parse((await run("show", root, "--json")).out).skills;
    expect(skill.leftOut[0]).toEqual({ path: ".env", reason: "hidden" });
  });

  it("--name that there is not: says which there are", async () => {
    const root = temporaryFolder({ "knots/SKILL.md": skillText("knots"), "rig/SKILL.md": broken });
    const { code, out, error } = await run("show", root, "--name", "nope");
    expect({ code, out, error }).toEqual({
      code: 1,
      out: "",
      error: 'There is no skill "nope"; there are: knots, rig.\n',
    });
    const many = temporaryFolder(
      Object.fromEntries(
        Array.from({ length: 33 }, (_, at) => [`a${at}/SKILL.md`, skillText(`a${at}`)]),
      ),
    );
    expect((await run("show", many, "--name", "nope")).error).toMatch(/, and 3 more\.\n$/);
  });

  it("--name: tells of this skill's problems and of no other", async () => {
    const root = temporaryFolder({
      "knots/SKILL.md": skillText("knots"),
      "rig/SKILL.md": broken,
      "bad/SKILL.md": "nothing",
    });
    const knots = await run("show", root, "--name", "knots");
    expect(knots).toMatchObject({ code: 0, error: "" });
    const rig = await run("show", root, "--name", "rig", "--json");
    expect(JSON.parse(rig.out).problems).toEqual([
      expect.objectContaining({ code: "unquoted_colon" }),
    ]);
    // Refused: why it is not there.
    const bad = await run("show", root, "--name", "bad");
    expect(bad.code).toBe(1);
    expect(bad.error).toMatch(
      /bad\/SKILL\.md:1: error no_frontmatter: .*\nThere is no skill "bad"; there are: knots, rig\.\n$/,
    );
  });

  it("a name where a folder belongs: says how to write it", async () => {
    const root = temporaryFolder({ "knots/SKILL.md": skillText("knots") });
    const { code, out, error } = await run("show", root, "knots");
    expect({ code, out, error }).toEqual({
      code: 2,
      out: "",
      error: 'There is no folder "knots", but a skill of that name. Write: --name knots\n',
    });
    expect((await run("show", root, "nope")).error).toContain("root_missing");
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

describe("arguments", () => {
  it.each([
    [[], /^What is to be done\?/],
    [["validate"], /^validate of what\?/],
    [["check", "."], /^There is no command "check"; there are validate, list and show\.\n/],
    [["list", ".", "--fix"], /^--fix changes files, and list only reads: write validate --fix\.\n/],
    [["validate", ".", "--name", "a"], /^validate has no --name/],
    [["list", ".", "--x"], /^Unknown option '--x'\.\n/],
    [["list", ".", "--json=1"], /^Option '--json' does not take an argument\.\n/],
    [["show", ".", "--name"], /^Option '--name <value>' argument missing\.\n/],
    [["a\u001B[31m", "."], /^There is no command "a\\u\{1b\}\[31m"/],
  ])("%j: what is wrong with them, how to write it, and exit code 2", async (args, reason) => {
    const { code, out, error } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toMatch(reason);
    expect(error).toContain("\n\ntunic-skills validate <folder …>");
  });

  it.each([[["--help"]], [["-h"]], [["show", "--help"]]])("%j: how to write them", async (args) => {
    const { code, out, error } = await run(...args);
    expect({ code, error }).toEqual({ code: 0, error: "" });
    expect(out).toMatch(/^tunic-skills validate <folder …>/);
  });
});
