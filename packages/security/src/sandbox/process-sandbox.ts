import { stat } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { ConfigurationError, checkOptionNames, ToolError } from "@tunic/core";
import { cleanEnvironment } from "./clean-environment.js";
import { makePrivateFolder, type PrivateFolder, removePrivateFolder } from "./private-folder.js";
import { programPath } from "./program-path.js";
import { type EndedProcess, runProcess } from "./run-process.js";
import type { Sandbox, SandboxCommand, SandboxOutcome } from "./sandbox.js";

/** What {@link processSandbox} can be told. */
export interface ProcessSandboxOptions {
  /** What all commands find in their environment. Default: nothing more. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Variables of this program that commands see as well. Default: none. */
  readonly inherit?: readonly string[] | undefined;
  /** In milliseconds. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Of standard output, and of standard error, in bytes. Default 1 MiB. */
  readonly maxOutputBytes?: number | undefined;
  /** Between the request to end (SIGTERM) and the end (SIGKILL), in milliseconds. Default 1000. */
  readonly killGraceMs?: number | undefined;
}

type Settings = {
  readonly [Name in keyof ProcessSandboxOptions]-?: NonNullable<ProcessSandboxOptions[Name]>;
};

const optionNames: ReadonlySet<string> = new Set<keyof ProcessSandboxOptions>([
  "env",
  "inherit",
  "timeoutMs",
  "maxOutputBytes",
  "killGraceMs",
]);

/** The longest time that Node can wait. */
const longest = 2 ** 31 - 1;

/**
 * The first tier of a {@link Sandbox}: a child process. Its words are given to it without a shell; it sees a
 * `PATH`, languages and time zone of this program, a `HOME` and a `TMPDIR` of its own that are gone afterwards, and
 * nothing else; it is stopped when its time is up or its run is aborted, with all processes of its group, and those
 * that are left when it has ended are killed.
 *
 * It is **no isolation**: the process runs as the user that this program runs as, and can read and write what that
 * user can, use the network, and take as much memory and processor as it gets. A process that leaves its group
 * (`setsid`) is not ended; on Windows neither is one whose parent has ended before. For code that you do not trust
 * use a {@link Sandbox} in a container or a virtual machine.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`.
 */
export function processSandbox(options: ProcessSandboxOptions = {}): Sandbox {
  checkOptionNames("processSandbox", options, optionNames);
  const settings: Settings = {
    env: variables(invalid, "env", options.env),
    inherit: [...(options.inherit ?? [])],
    timeoutMs: count(invalid, "timeoutMs", options.timeoutMs ?? 60_000),
    maxOutputBytes: count(invalid, "maxOutputBytes", options.maxOutputBytes ?? 2 ** 20),
    killGraceMs: count(invalid, "killGraceMs", options.killGraceMs ?? 1000),
  };
  return Object.freeze({
    name: "process",
    run: async (command: SandboxCommand) => await runCommand(checkCommand(command), settings),
  });
}

async function runCommand(command: SandboxCommand, settings: Settings): Promise<SandboxOutcome> {
  command.signal?.throwIfAborted();
  const start = performance.now();
  const folder = await makePrivateFolder(command.files ?? []);
  let removed = true;
  let ended: EndedProcess;
  try {
    ended = await runIn(folder, command, settings);
  } finally {
    removed = await removePrivateFolder(folder.path);
  }
  return {
    ...ended,
    durationMs: performance.now() - start,
    ...(!removed && { leftBehind: folder.path }),
  };
}

async function runIn(
  folder: PrivateFolder,
  command: SandboxCommand,
  settings: Settings,
): Promise<EndedProcess> {
  const { program, args, input, signal, timeoutMs, maxOutputBytes } = command;
  const cwd = await folderOf(folder, command.cwd ?? ".");
  const env = cleanEnvironment(folder, settings.inherit, settings.env, command.env ?? {});
  const path = await programPath(program, env["PATH"]);
  if (path === undefined) {
    throw new ToolError(`There is no program "${program}" here.`, {
      code: "sandbox_program_missing",
    });
  }
  try {
    return await runProcess({
      program: path,
      args,
      cwd,
      env,
      input,
      signal,
      timeoutMs: timeoutMs ?? settings.timeoutMs,
      maxOutputBytes: maxOutputBytes ?? settings.maxOutputBytes,
      killGraceMs: settings.killGraceMs,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    throw new ToolError(`The program "${program}" cannot be started (${code}).`, {
      code: "sandbox_start",
      cause: error,
    });
  }
}

async function folderOf({ work }: PrivateFolder, cwd: string): Promise<string> {
  const path = resolve(work, cwd);
  const below = relative(work, path);
  if (!isAbsolute(cwd) && (below === ".." || /^\.\.[\\/]/.test(below) || isAbsolute(below))) {
    throw unfit(`\`cwd\` ${JSON.stringify(cwd)} leads out of its folder`);
  }
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory() !== true) throw unfit(`\`cwd\` ${JSON.stringify(cwd)} is no folder`);
  return path;
}

function checkCommand(command: SandboxCommand): SandboxCommand {
  if (!isObject(command)) throw unfit("it must be an object such as { program, args }");
  const { program, args, cwd, env, input, files, timeoutMs, maxOutputBytes } = command;
  if (!isText(program) || program === "" || (!isAbsolute(program) && /[\\/]/.test(program))) {
    throw unfit("`program` must be a name that is looked for on the PATH, or an absolute path");
  }
  if (!Array.isArray(args) || !args.every(isText)) {
    throw unfit("`args` must be a list of texts without zero characters");
  }
  if (cwd !== undefined && !isText(cwd)) throw unfit("`cwd` must be a path");
  variables(unfit, "env", env);
  if (input !== undefined && !isData(input)) throw unfit("`input` must be a text or bytes");
  if (files !== undefined && !(Array.isArray(files) && files.every(isFile))) {
    throw unfit("`files` must be a list of { path, content }, with texts or bytes as content");
  }
  if (timeoutMs !== undefined) count(unfit, "timeoutMs", timeoutMs);
  if (maxOutputBytes !== undefined) count(unfit, "maxOutputBytes", maxOutputBytes);
  return command;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0");
}

function isFile(file: unknown): boolean {
  return isObject(file) && typeof file["path"] === "string" && isData(file["content"]);
}

function isData(value: unknown): boolean {
  return typeof value === "string" || value instanceof Uint8Array;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

type Complaint = (what: string) => ConfigurationError;

function variables(
  complaint: Complaint,
  what: string,
  env: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(env)) {
    if (name === "" || /[=\0]/.test(name) || !isText(value)) {
      throw complaint(`\`${what}\` must be an object of names and texts; "${name}" is none`);
    }
  }
  return { ...env };
}

function count(complaint: Complaint, what: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0 && value <= longest) return value;
  throw complaint(`\`${what}\` must be a whole number from 1 to ${longest}`);
}

function unfit(what: string): ConfigurationError {
  return new ConfigurationError("sandbox_command", `The command cannot be run: ${what}.`);
}

function invalid(what: string): ConfigurationError {
  return new ConfigurationError("invalid_option", `processSandbox: ${what}.`);
}
