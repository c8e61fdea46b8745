/** The skill of the example `release-notes`: what its script counts, and who runs it. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runNodeScript } from "../examples/release-notes/run-node-script.js";
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

describe("the runner of the example", () => {
  const runs = (source: string, argv: readonly string[] = [], more = {}) =>
    runNodeScript(
      { skill: "s", name: "a.mjs", folder: tmpdir(), source: Buffer.from(source), ...more },
      argv,
      { signal: new AbortController().signal },
    );

  it("runs what was checked, with words as they are, and no environment", async () => {
    process.env["TUNIC_TEST_SECRET"] = "x";
    const source =
      "console.log(JSON.stringify([process.argv.slice(2), process.env.TUNIC_TEST_SECRET]))";
    const words = ["$HOME; ls", "--eval", "", "a\nb"];
    expect(JSON.parse(String(await runs(source, words)))).toEqual([words, null]);
    delete process.env["TUNIC_TEST_SECRET"];
  });

  it("tells the model why a script has failed", async () => {
    const failing = runs("console.error('no ropes'); process.exit(3)");
    await expect(failing).rejects.toMatchObject({
      code: "script_failed",
      fix: "a.mjs has failed (3): no ropes",
    });
  });

  it("runs nothing but scripts for Node", async () => {
    const other = runs("print(1)", [], { name: "a.py" });
    await expect(other).rejects.toMatchObject({ code: "no_interpreter" });
  });

  it("ends a script whose run is stopped", async () => {
    const stop = new AbortController();
    const source = Buffer.from("setInterval(() => {}, 1000)");
    const running = runNodeScript({ skill: "s", name: "a.mjs", folder: tmpdir(), source }, [], {
      signal: stop.signal,
    });
    stop.abort(new Error("Enough."));
    await expect(running).rejects.toThrow("Enough.");
  });
});
