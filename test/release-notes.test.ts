/** The skill of the example `release-notes`: what its script counts. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { validateSkill } from "../packages/skills/src/index.js";
import { root } from "./mail-desk.js";

const folder = join(root, "examples", "release-notes", "skills", "release-notes");
const script = join(folder, "scripts", "next-version.mjs");
const run = (...argv: readonly string[]) =>
  spawnSync(process.execPath, [script, ...argv], { encoding: "utf8" });

describe("the script that counts versions", () => {
  it.each([
    ["1.4.2", ["fix: a"], "1.4.3"],
    ["1.4.2", ["perf: a", "docs: b"], "1.4.3"],
    ["1.4.2", ["fix: a", "feat: b"], "1.5.0"],
    ["v1.4.2", ["Feat(cli): a"], "1.5.0"],
    ["1.4.2", ["chore!: a", "feat: b"], "2.0.0"],
    ["1.4.2", ["fix: a\n\nBREAKING CHANGE: b"], "2.0.0"],
    ["1.4.2", ["fix: a\r\n\r\nBREAKING-CHANGE: b\r\n"], "2.0.0"],
    ["1.4.2", ["fix: tells of a BREAKING CHANGE: b"], "1.4.3"],
    ["0.4.2", ["feat!: a"], "0.5.0"],
    ["0.4.2", ["feat: a"], "0.4.3"],
    ["1.4.2", ["docs: a", "Merge branch 'b'", "constructor: c", "feat:", ""], null],
  ])("%s with %j: %s", (last, messages, version) => {
    const { status, stdout } = run(last, ...messages);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ version });
  });

  it("puts every commit into one group, with its scope", () => {
    const { stdout } = run("1.0.0", "feat(a b): c", "fix(d)!: e", "perf: f", "what: g", "h");
    expect(JSON.parse(stdout)).toEqual({
      version: "2.0.0",
      breaking: [{ scope: "d", text: "e" }],
      features: [{ scope: "a b", text: "c" }],
      fixes: [{ text: "f" }],
      other: [{ text: "g" }, { text: "h" }],
    });
  });

  it.each([
    [[], /is no version/],
    [["1.4"], /"1\.4" is no version/],
    [["1.04.0", "fix: a"], /is no version/],
    [["fix: a"], /is no version/],
    [["1.4.2"], /no commit messages/],
  ])("refuses %j", (argv, reason) => {
    const { status, stdout, stderr } = run(...argv);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(reason);
  });
});

describe("the skill", () => {
  const text = readFileSync(join(folder, "SKILL.md"), "utf8");

  it("keeps the specification", () => {
    expect(validateSkill(text, { directory: "release-notes" })).toEqual([]);
  });

  it("gives arguments that its script understands", () => {
    const [, json = ""] = /`(\{"argv".*?\})`/.exec(text) ?? [];
    const { argv }: { argv: readonly string[] } = JSON.parse(json);
    expect(JSON.parse(run(...argv).stdout)).toMatchObject({ version: "1.5.0" });
  });
});
