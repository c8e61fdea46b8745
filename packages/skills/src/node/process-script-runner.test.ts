import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunContext } from "@tunic/core";
import type { Sandbox, SandboxCommand } from "@tunic/security";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makePipe, skillText, temporaryFolder } from "../../test/support/folder.js";
import { contextWith } from "../../test/support/skills.js";
import type { SkillScript } from "../skill.js";
import { fileSkills } from "./file-skills.js";
import { type ProcessScriptRunnerOptions, processScriptRunner } from "./process-script-runner.js";

const notices: string[] = [];
const run = {
  notice: (code: string, message: string) => notices.push(`${code}: ${message}`),
} as unknown as RunContext;
const context = contextWith({ run });

afterEach(() => {
  notices.length = 0;
  vi.unstubAllEnvs();
});

function hasPython(): boolean {
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** The skill "knots" with these files. */
async function knots(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: ProcessScriptRunnerOptions = {},
) {
  const root = temporaryFolder({
    "knots/SKILL.md": skillText("knots"),
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`knots/${path}`, text])),
  });
  const source = fileSkills(root, { scriptRunner: processScriptRunner(options) });
  const { skills, problems } = await source.list(context);
  const scripts = skills[0]?.scripts ?? [];
  return {
    root,
    folder: join(root, "knots"),
    problems,
    names: scripts.map(({ name }) => name),
    run: async (name: string, argv: readonly string[] = []) =>
      await named(scripts, name).run({ argv }, context),
  };
}

function named(scripts: readonly SkillScript[], name: string): SkillScript {
  const found = scripts.find((script) => script.name === name);
  if (found === undefined) throw new Error(`no script ${name}`);
  return found;
}

describe("a script", () => {
  const words = ["-n", "2", "$(id)", "a b", ""];

  it.skipIf(!hasPython())(
    "in Python gets its words and finds what stands beside it (skipped where there is no python3)",
    async () => {
      const { run } = await knots({
        "scripts/tie.py":
          "import json, os, sys\nimport turns\nbeside = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'turns.txt')\nprint(json.dumps([sys.argv[1:], turns.COUNT, open(beside).read(), open('SKILL.md').read()[:3], '漢'], ensure_ascii=False))",
        "scripts/turns.py": "COUNT = 3",
        "scripts/turns.txt": "three",
      });
      const answer = await run("scripts/tie.py", words);
      expect(JSON.parse(String(answer))).toEqual([words, 3, "three", "---", "漢"]);
    },
  );

  it("in JavaScript does so too, as a module, as CommonJS, and with packages of its own", async () => {
    const { run, names } = await knots({
      "scripts/tie.mjs":
        'import { count } from "./turns.mjs"; import rope from "rope"; console.log(JSON.stringify([process.argv.slice(2), count, rope]))',
      "scripts/turns.mjs": "export const count = 3",
      "node_modules/rope/index.js": 'module.exports = "hemp"',
      "scripts/old.cjs": 'console.log(require("./turns.json").count)',
      "scripts/turns.json": '{ "count": 4 }',
    });
    expect(names).toContain("scripts/old.cjs");
    expect(JSON.parse(String(await run("scripts/tie.mjs", words)))).toEqual([words, 3, "hemp"]);
    expect(await run("scripts/old.cjs")).toBe("4\n");
  });

  it("for a shell does so too, and is run by bash where it says so", async () => {
    const { run } = await knots({
      "scripts/tie.sh": '. "$(dirname "$0")/turns.inc"\nprintf "%s;" "$@" "$COUNT"\n',
      "scripts/turns.inc": "COUNT=3",
      "scripts/arrays.sh": "#!/usr/bin/env bash\na=(1 2 3)\necho ${#a[@]}\n",
    });
    expect(await run("scripts/tie.sh", words)).toBe("-n;2;$(id);a b;;3;");
    expect(await run("scripts/arrays.sh")).toBe("3\n");
  });

  it("in another language runs by what is configured", async () => {
    const { run, names } = await knots(
      { "tie.awk": "BEGIN { print ARGV[1] }", "-e.sh": "echo fine" },
      { interpreters: { ".AWK": ["awk", "-f"] } },
    );
    expect(names).toEqual(["-e.sh", "tie.awk"]);
    expect(await run("tie.awk", ["bowline"])).toBe("bowline\n");
    expect(await run("-e.sh")).toBe("fine\n");
  });

  it("knows nothing of this program's environment but what it is given", async () => {
    vi.stubEnv("MAIL_PASSWORD", "hunter2");
    const { run } = await knots(
      { "env.sh": 'echo "$MAIL_PASSWORD-$DESK"' },
      { env: { DESK: "mail" } },
    );
    expect(await run("env.sh")).toBe("-mail\n");
  });

  it("cannot change its skill by what it writes beside it", async () => {
    const { run, folder } = await knots({ "tie.sh": "echo x >> SKILL.md; echo y > new; ls" });
    expect(await run("tie.sh")).toBe("SKILL.md\nnew\ntie.sh\n");
    expect(readdirSync(folder)).toEqual(["SKILL.md", "tie.sh"]);
  });

  it("that fills its output is shown from its beginning, and says so", async () => {
    const { run } = await knots(
      { "tie.sh": "while [ ${i:=0} -lt 500 ]; do echo line $i; i=$((i+1)); done" },
      { maxOutputBytes: 20 },
    );
    expect(await run("tie.sh")).toBe(
      "line 0\nline 1\nline 2\n[It wrote more than can be shown; this is the beginning.]",
    );
  });

  it("that writes nothing says so, and what it wrote to stderr is a notice", async () => {
    const { run } = await knots({ "tie.sh": "echo careful >&2" });
    expect(await run("tie.sh")).toBe("tie.sh ended well and wrote nothing.");
    expect(notices).toEqual([
      'script_stderr: The script tie.sh of the skill "knots" wrote to stderr: careful',
    ]);
  });
});

describe("what runs is what was checked", () => {
  it("when the file is another one by then", async () => {
    const root = temporaryFolder({
      "knots/SKILL.md": skillText("knots"),
      "knots/tie.sh": "echo checked",
    });
    const runner = processScriptRunner();
    const { skills } = await fileSkills(root, {
      scriptRunner: Object.assign(
        async (...[script, ...rest]: Parameters<typeof runner>) => {
          writeFileSync(join(root, "knots/tie.sh"), "echo exchanged");
          return await runner(script, ...rest);
        },
        { extensions: [".sh"] },
      ),
    }).list(context);
    expect(await skills[0]?.scripts[0]?.run({}, context)).toBe("checked\n");
  });

  it("and nothing that a link, a pipe or a link on the way leads to", async () => {
    const outside = temporaryFolder({ "secret.txt": "secret" });
    const { run, folder } = await knots({ "tie.sh": "find . | sort; cat secret.txt" });
    symlinkSync(join(outside, "secret.txt"), join(folder, "secret.txt"));
    symlinkSync(outside, join(folder, "more"));
    makePipe(join(folder, "pipe"));
    const answer = await run("tie.sh");
    expect(answer).toMatchObject({ code: "script_failed" });
    expect(notices[0]).toMatch(/runs without more \(.*link\), pipe \(.*\), secret.txt \(.*link\)/);
  });

  it("also when the folder of the skill has become a link", async () => {
    const elsewhere = temporaryFolder({ "knots/SKILL.md": "secret", "knots/tie.sh": "exit 9" });
    const root = temporaryFolder({ "knots/SKILL.md": skillText("knots"), "knots/tie.sh": "ls" });
    const runner = processScriptRunner();
    const { skills } = await fileSkills(root, {
      scriptRunner: async (...[script, ...rest]) => {
        rmSync(script.folder, { recursive: true });
        symlinkSync(join(elsewhere, "knots"), script.folder);
        return await runner(script, ...rest);
      },
    }).list(context);
    expect(await skills[0]?.scripts[0]?.run({}, context)).toBe("tie.sh\n");
  });

  it("and without what is of no use to it: history and compiled files", async () => {
    const { run } = await knots({
      "tie.sh": "find . | sort",
      ".git/config": "",
      "lib/__pycache__/x.pyc": "",
      ".settings": "",
    });
    expect(await run("tie.sh")).toBe(".\n./.settings\n./SKILL.md\n./tie.sh\n");
    expect(notices).toEqual([]);
  });

  it("and not at all where the folder is larger than it may be", async () => {
    const files = { "tie.sh": "exit", "a.bin": new Uint8Array(600), "b.bin": new Uint8Array(600) };
    const bytes = await knots(files, { maxFolderSize: 1000 });
    expect(await bytes.run("tie.sh")).toMatchObject({ code: "script_folder_size" });
    const count = await knots(files, { maxFiles: 2 });
    expect(await count.run("tie.sh")).toMatchObject({ code: "script_folder_size" });
    const enough = await knots(files, { maxFiles: 4, maxFolderSize: 2000 });
    expect(await enough.run("tie.sh")).toBe("tie.sh ended well and wrote nothing.");
  });
});

describe("what goes wrong is an error in words for the model", () => {
  it.each<[string, string, ProcessScriptRunnerOptions, string, string]>([
    [
      "a failure, with the end of stderr",
      "echo out; echo $0 broke >&2; exit 3",
      {},
      "script_failed",
      "tie.sh ended with exit code 3. The end of what it wrote to stderr:\n./tie.sh broke",
    ],
    [
      "a failure that says so on stdout",
      "echo no rope; exit 1",
      {},
      "script_failed",
      "tie.sh ended with exit code 1. The end of what it wrote to stdout:\nno rope",
    ],
    [
      "a silent failure",
      "exit 1",
      {},
      "script_failed",
      "tie.sh ended with exit code 1. It wrote nothing.",
    ],
    [
      "an end by a signal",
      "kill -9 $$",
      {},
      "script_failed",
      "tie.sh was ended by SIGKILL. It wrote nothing.",
    ],
    [
      "a program that is not there",
      "exit",
      { interpreters: { ".sh": ["no-such-shell"] } },
      "script_interpreter",
      "no-such-shell, which runs tie.sh, is not installed here.",
    ],
  ])("%s", async (_, text, options, code, message) => {
    const { run } = await knots({ "tie.sh": text }, options);
    expect(await run("tie.sh")).toMatchObject({ name: "ToolError", code, message });
  });

  it("an end that is too late", async () => {
    const { run } = await knots({ "tie.sh": "while :; do sleep 1; done" }, { timeoutMs: 300 });
    const message = "tie.sh was stopped after 300 ms. It wrote nothing.";
    expect(await run("tie.sh")).toMatchObject({ code: "script_timeout", message });
  });

  it("a long stderr, by its end", async () => {
    const { run } = await knots({
      "tie.mjs": 'process.stderr.write("x".repeat(5000) + "end"); process.exitCode = 1',
    });
    const { message } = (await run("tie.mjs")) as Error;
    expect(message).toMatch(/stderr:\n…x{1997}end$/);
  });

  it("a word that no program can get", async () => {
    const { run } = await knots({ "tie.sh": "exit" });
    expect(await run("tie.sh", ["a\0b"])).toMatchObject({ code: "invalid_arguments" });
  });

  it("a script for which there is no program", async () => {
    const script = { skill: "s", name: "a.rb", root: "/", folder: "/", source: new Uint8Array() };
    const error = await processScriptRunner()(script, [], context);
    expect(error).toMatchObject({ code: "script_interpreter" });
    expect(String(error)).toContain(".py .js .mjs .cjs .sh .bash");
  });
});

it("an abort is no answer but ends the run of the script", async () => {
  const { root } = await knots({ "tie.sh": "exit" });
  const { skills } = await fileSkills(root, { scriptRunner: processScriptRunner() }).list(context);
  const aborted = contextWith({ signal: AbortSignal.abort(new Error("enough")) });
  const script = named(skills[0]?.scripts ?? [], "tie.sh");
  await expect(Promise.resolve(script.run({}, aborted))).rejects.toThrow("enough");
});

it("another sandbox gets all that it needs, and what it says counts", async () => {
  const commands: SandboxCommand[] = [];
  const sandbox: Sandbox = {
    name: "elsewhere",
    run: async (command) => {
      commands.push(command);
      return {
        exitCode: 0,
        stdout: "from elsewhere",
        stderr: "",
        truncated: { stdout: false, stderr: false },
        timedOut: false,
        durationMs: 1,
        leftBehind: "/a/folder",
      };
    },
  };
  const { run } = await knots({ "s/tie.sh": "exit" }, { sandbox, env: { A: "1" } });
  expect(await run("s/tie.sh", ["x"])).toBe("from elsewhere");
  expect(commands).toMatchObject([
    {
      program: "sh",
      args: ["./s/tie.sh", "x"],
      env: { A: "1" },
      timeoutMs: 60_000,
      maxOutputBytes: 65_536,
      signal: context.signal,
    },
  ]);
  expect(commands[0]?.files?.map(({ path }) => path).sort()).toEqual(["SKILL.md", "s/tie.sh"]);
  expect(notices[0]).toContain("left /a/folder behind");
  expect(existsSync("/a/folder")).toBe(false);
});

it.each<[string, ProcessScriptRunnerOptions]>([
  ["an unknown option", { timeout: 1 } as ProcessScriptRunnerOptions],
  ["an extension without a dot", { interpreters: { rb: ["ruby"] } }],
  ["an interpreter without a program", { interpreters: { ".rb": [] } }],
  ["no time", { timeoutMs: 0 }],
])("refuses %s", (_, options) => {
  expect(() => processScriptRunner(options)).toThrow(TypeError);
});
