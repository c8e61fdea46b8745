/** Starts the mail desk as its users do. */
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
const program = ["--conditions=@tunic/source", "--import", "tsx", "examples/mail-desk/main.ts"];
/** Offline, also on a machine whose owner has keys. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.endsWith("_API_KEY")),
);
/** In milliseconds: a process of its own, on a busy machine. */
export const timeout = 120_000;
/** Gives a program a terminal. Only that of util-linux is meant: it hands on the exit code. */
const script = "script";
export const hasScript = spawnSync(script, ["--version"]).stdout?.includes("util-linux") ?? false;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The mail desk in a process of its own, without a terminal. */
export function desk(...args: readonly string[]): Promise<Ended> {
  return run(process.execPath, [...program, ...args]);
}

/** The same in a terminal, where a line is typed once it asks. */
export function deskInTerminal(line: string): Promise<Ended> {
  const command = [process.execPath, ...program].map((part) => `'${part}'`).join(" ");
  return run(script, ["-qec", command, "/dev/null"], line);
}

function run(command: string, args: readonly string[], line?: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const stdin = line === undefined ? "ignore" : "pipe";
    const child = spawn(command, args, { cwd: root, env, stdio: [stdin, "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const asked = stdout.includes("Run it?");
      stdout += text;
      if (!asked && stdout.includes("Run it?")) child.stdin?.write(`${line}\n`);
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
