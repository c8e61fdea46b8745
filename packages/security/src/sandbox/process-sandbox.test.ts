import { spawn } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { heardProcesses } from "../../test/support/heard-processes.js";
import { report } from "../../test/support/reporting-program.js";
import { type ProcessSandboxOptions, processSandbox } from "./process-sandbox.js";
import type { SandboxCommand } from "./sandbox.js";

const sandbox = processSandbox({ killGraceMs: 50 });
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const listening = () => signals.map((name) => process.listenerCount(name));
const listenersBefore = listening();
let temporary: string;

beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "tunic-test-"));
  vi.stubEnv("TMPDIR", temporary);
});

afterEach(() => {
  vi.unstubAllEnvs();
  const left = readdirSync(temporary);
  rmSync(temporary, { recursive: true });
  expect(left).toEqual([]);
  expect(listening()).toEqual(listenersBefore);
});

/** A program of Node. */
function node(code: string, more: Partial<SandboxCommand> = {}): SandboxCommand {
  return { program: process.execPath, args: ["-e", code], ...more };
}

function sh(code: string, more: Partial<SandboxCommand> = {}): SandboxCommand {
  return { program: "sh", args: ["-c", code], ...more };
}

const printEnvironment = "console.log(JSON.stringify({ ...process.env, cwd: process.cwd() }))";

async function environmentOf(options: ProcessSandboxOptions, more: Partial<SandboxCommand> = {}) {
  const { stdout } = await processSandbox(options).run(node(printEnvironment, more));
  return JSON.parse(stdout) as Record<string, string>;
}

describe("what a program gets", () => {
  it("is its words as they are, which no shell reads", async () => {
    const words = ["$(id)", "; exit 3", "*", "a b", "", '"', "-e", "| cat", "`id`", "漢\n"];
    const { stdout, exitCode } = await sandbox.run({
      program: process.execPath,
      args: ["-e", "console.log(JSON.stringify(process.argv.slice(1)))", "--", ...words],
    });
    expect(JSON.parse(stdout)).toEqual(words);
    expect(exitCode).toBe(0);
  });

  it("is an environment without what this program knows", async () => {
    vi.stubEnv("DATABASE_PASSWORD", "hunter2");
    vi.stubEnv("NODE_OPTIONS", "--no-warnings");
    const { cwd, ...env } = await environmentOf({});
    const known = /^(PATH|HOME|TMPDIR|LANG|LANGUAGE|LC_[A-Z]+|TZ)$/;
    expect(Object.keys(env).filter((name) => !known.test(name))).toEqual([]);
    const home = env["HOME"] ?? "";
    expect(home.startsWith(temporary) && env["TMPDIR"]?.startsWith(temporary)).toBe(true);
    expect(cwd?.startsWith(temporary)).toBe(true);
    expect(existsSync(home)).toBe(false);
  });

  it("is more where somebody says so, and the command has the last word", async () => {
    vi.stubEnv("JAVA_HOME", "/java");
    const options = { inherit: ["JAVA_HOME", "NOT_THERE"], env: { A: "1", B: "2" } };
    const env = await environmentOf(options, { env: { B: "3", HOME: "/mine" } });
    expect(env).toMatchObject({ JAVA_HOME: "/java", A: "1", B: "3", HOME: "/mine" });
    expect(env).not.toHaveProperty("NOT_THERE");
  });

  it("is no input where there is none, so that reading ends", async () => {
    expect(await sandbox.run(sh("cat; echo end"))).toMatchObject({ stdout: "end\n" });
  });

  it("is its input, whether it reads it or not", async () => {
    const input = "漢".repeat(100_000);
    expect((await sandbox.run(sh("cat", { input }))).stdout).toBe(input);
    expect(await sandbox.run(sh("exit 4", { input }))).toMatchObject({ exitCode: 4 });
    const closed = await sandbox.run(sh("exec <&-; echo on", { input: Buffer.from(input) }));
    expect(closed.stdout).toBe("on\n");
  });

  it("is a folder with its files, and what it writes there is gone afterwards", async () => {
    const files = [
      { path: "a.txt", content: "A" },
      { path: "deep/er/b.bin", content: Uint8Array.of(66) },
      { path: "run", content: "#!/bin/sh\necho ran", executable: true },
    ];
    const code = "cat a.txt deep/er/b.bin; ./run; ls -l a.txt | cut -c1-10; echo x > new; pwd";
    const { stdout } = await sandbox.run(sh(code, { files }));
    const [first, second, folder = ""] = stdout.trim().split("\n");
    expect([first, second]).toEqual(["ABran", "-rw-------"]);
    expect(existsSync(folder)).toBe(false);
    const below = await sandbox.run(sh("cat b.bin", { files, cwd: "deep/er" }));
    expect(below.stdout).toBe("B");
  });

  it("is another folder where the command says so", async () => {
    const { stdout } = await sandbox.run(sh("pwd", { cwd: "/" }));
    expect(stdout).toBe("/\n");
  });
});

describe("how a run ends", () => {
  it("is told with exit code, both outputs and a duration", async () => {
    const outcome = await sandbox.run(sh("echo out; echo err >&2; exit 3"));
    expect(outcome).toEqual({
      exitCode: 3,
      stdout: "out\n",
      stderr: "err\n",
      truncated: { stdout: false, stderr: false },
      timedOut: false,
      durationMs: expect.any(Number),
    });
  });

  it("is told with the signal, where one ended it", async () => {
    const outcome = await sandbox.run(sh("kill -9 $$"));
    expect(outcome).toMatchObject({ signal: "SIGKILL", timedOut: false });
    expect(outcome).not.toHaveProperty("exitCode");
  });

  it("leaves no process behind that is dead and not fetched", async () => {
    const { stdout } = await sandbox.run(sh("echo $$"));
    expect(() => process.kill(Number(stdout), 0)).toThrow("ESRCH");
  });

  it("keeps the beginning of stdout and the end of stderr, and lets the program go on", async () => {
    const code =
      'const s = (t) => "<" + t.repeat(3e6) + ">"; process.stdout.write(s("o")); process.stderr.write(s("e"));';
    const { stdout, stderr, ...rest } = await sandbox.run(node(code, { maxOutputBytes: 1000 }));
    expect(stdout).toBe(`<${"o".repeat(999)}`);
    expect(stderr).toBe(`${"e".repeat(999)}>`);
    expect(rest).toMatchObject({ exitCode: 0, truncated: { stdout: true, stderr: true } });
  });

  it.each([
    ["that never ends", "while :; do sleep 1; done"],
    ["that does not listen", 'trap "" TERM; while :; do sleep 1; done'],
    ["that writes without end", "while :; do echo yes; done"],
  ])("comes in time for a program %s", async (_, code) => {
    const outcome = await sandbox.run(sh(code, { timeoutMs: 300 }));
    expect(outcome.timedOut).toBe(true);
    expect(outcome).not.toHaveProperty("exitCode");
  });

  it("comes when a program has closed its outputs and still runs", async () => {
    expect(await sandbox.run(sh("exec >&- 2>&-; cat; exit 7"))).toMatchObject({ exitCode: 7 });
  });
});

describe("an abort", () => {
  it("before the start starts nothing", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(sandbox.run(sh("exit", { signal }))).rejects.toThrow("enough");
  });

  it("lets the program put things in order, and rejects with the reason", async () => {
    const { port, next } = await heardProcesses();
    const controller = new AbortController();
    const patient = processSandbox({ killGraceMs: 60_000 });
    const bye = 'process.on("SIGTERM", () => socket.end("bye"));';
    const run = patient.run(node(report(port, bye), { signal: controller.signal }));
    const child = await next();
    controller.abort(new Error("enough"));
    await expect(run).rejects.toThrow("enough");
    expect(await child.gone).toBe("bye");
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("ends a program that does not listen, and all that it has started", async () => {
    const { port, next } = await heardProcesses();
    const controller = new AbortController();
    const deaf = report(port, 'process.on("SIGTERM", () => {});');
    const parent = `${deaf} require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(deaf)}]);`;
    const run = sandbox.run(node(parent, { signal: controller.signal }));
    const both = [await next(), await next()];
    controller.abort(new Error("enough"));
    await expect(run).rejects.toThrow("enough");
    await Promise.all(both.map(({ gone }) => gone));
  });

  it("after the end changes nothing", async () => {
    const controller = new AbortController();
    const outcome = await sandbox.run(sh("echo x", { signal: controller.signal }));
    // An abort would take the listener away itself.
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    controller.abort();
    expect(outcome.stdout).toBe("x\n");
  });
});

describe("a process that outlives the one that started it", () => {
  /** Starts a process that reports, and ends when it has. */
  function fork(port: number, options: string): string {
    const child = JSON.stringify(report(port, 'socket.on("connect", () => process.send?.("on"));'));
    return `const { spawn } = require("child_process"); const child = spawn(process.execPath, ["-e", ${child}], ${options}); child.on("message", () => { console.log("parent ends"); process.exit(0); });`;
  }

  it.each([
    ["with the outputs of its parent", '{ stdio: ["ignore", "inherit", "inherit", "ipc"] }'],
    ["without them", '{ stdio: ["ignore", "ignore", "ignore", "ipc"] }'],
  ])("is ended, %s", async (_, options) => {
    const { port, next } = await heardProcesses();
    const outcome = await sandbox.run(node(fork(port, options)));
    expect(outcome).toMatchObject({ exitCode: 0, stdout: "parent ends\n", timedOut: false });
    await (await next()).gone;
  });

  it("does not hold up the run, where it has left the group and keeps the outputs", async () => {
    const { port, next } = await heardProcesses();
    const options = '{ detached: true, stdio: ["ignore", "inherit", "inherit", "ipc"] }';
    const outcome = await sandbox.run(node(fork(port, options)));
    expect(outcome).toMatchObject({ exitCode: 0, stdout: "parent ends\n" });
    const child = await next();
    child.release();
    await child.gone;
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "is ended when this program is, by %s",
    async (name) => {
      const { port, next } = await heardProcesses();
      const program = fileURLToPath(new URL("../../test/support/held-process.ts", import.meta.url));
      const args = ["--conditions=@tunic/source", "--import", "tsx", program, String(port)];
      const cwd = fileURLToPath(new URL("../../../../", import.meta.url));
      const parent = spawn(process.execPath, args, { cwd, stdio: "ignore" });
      const child = await next();
      const ended = once(parent, "exit");
      parent.kill(name);
      await child.gone;
      expect(await ended).toEqual([null, name]);
      // Nobody was there to remove its folder.
      for (const left of readdirSync(temporary)) rmSync(join(temporary, left), { recursive: true });
    },
  );
});

describe("a program", () => {
  it("that is not there is an error", async () => {
    const program = "no-such-program";
    await expect(sandbox.run({ program, args: [] })).rejects.toMatchObject({
      name: "ToolError",
      code: "sandbox_program_missing",
    });
  });

  it("is not looked for in the folder where the command starts", async () => {
    const files = [{ path: "here", content: "#!/bin/sh\necho ran", executable: true }];
    vi.stubEnv("PATH", `.::bin:${process.env["PATH"]}`);
    await expect(sandbox.run({ program: "here", args: [], files })).rejects.toMatchObject({
      code: "sandbox_program_missing",
    });
    expect((await sandbox.run(sh('echo "$PATH"'))).stdout).toMatch(/^\//);
  });

  it("is looked for on the path that the command sees", async () => {
    const env = { PATH: "/nowhere" };
    await expect(sandbox.run({ program: "sh", args: [], env })).rejects.toMatchObject({
      code: "sandbox_program_missing",
    });
  });

  it("that gets more than the system takes is an error", async () => {
    const command = sh("exit", { env: { A: "x".repeat(3e6) } });
    await expect(sandbox.run(command)).rejects.toMatchObject({ code: "sandbox_start" });
  });

  it("whose own program is not there is an error", async () => {
    const program = join(temporary, "orphan");
    writeFileSync(program, "#!/nowhere/sh\n", { mode: 0o700 });
    const run = sandbox.run({ program, args: [] });
    await expect(run).rejects.toMatchObject({ code: "sandbox_start" });
    rmSync(program);
  });
});

describe("what makes no sense is refused", () => {
  const ok: SandboxCommand = { program: "sh", args: [] };

  it.each<[string, SandboxCommand]>([
    ["no program", { ...ok, program: "" }],
    ["a program by a relative path", { ...ok, program: "./sh" }],
    ["a zero in a word", { ...ok, args: ["a\0b"] }],
    ["no list of words", { ...ok, args: "x" as unknown as string[] }],
    ["a zero in the environment", { ...ok, env: { A: "\0" } }],
    ["an equals sign in a name", { ...ok, env: { "A=B": "" } }],
    ["no time", { ...ok, timeoutMs: 0 }],
    ["more time than can be waited", { ...ok, timeoutMs: 2 ** 31 }],
    ["no output", { ...ok, maxOutputBytes: 0 }],
    ["a folder that is not there", { ...ok, cwd: "nowhere" }],
    ["a folder outside", { ...ok, cwd: "../home" }],
    ["a file as a folder", { ...ok, cwd: "a", files: [{ path: "a", content: "" }] }],
    ...["", ".", "../a", "/a", "a//b", "a/./b", "a\\b", "c:a", "a\0"].map(
      (path): [string, SandboxCommand] => [
        `a file at ${JSON.stringify(path)}`,
        { ...ok, files: [{ path, content: "" }] },
      ],
    ),
    ["two files of one name", { ...ok, files: ["a", "a"].map((path) => ({ path, content: "" })) }],
  ])("%s", async (_, command) => {
    await expect(sandbox.run(command)).rejects.toMatchObject({
      name: "ConfigurationError",
      code: "sandbox_command",
    });
  });

  it.each<[string, ProcessSandboxOptions]>([
    ["an unknown option", { timeout: 1 } as ProcessSandboxOptions],
    ["half a millisecond", { timeoutMs: 0.5 }],
    ["a number in the environment", { env: { A: 1 as unknown as string } }],
  ])("%s as an option", (_, options) => {
    expect(() => processSandbox(options)).toThrow(TypeError);
  });
});

it.skipIf(process.getuid?.() === 0)(
  "removes folders that a program closed (skipped for root, to whom none is closed)",
  async () => {
    await sandbox.run(sh("mkdir -p a/b; chmod 000 a"));
  },
);
