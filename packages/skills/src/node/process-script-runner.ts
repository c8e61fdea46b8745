import {
  ConfigurationError,
  checkOptionNames,
  ToolError,
  ToolInvalidArgumentsError,
} from "@tunic/core";
import type { Sandbox, SandboxOutcome } from "@tunic/security";
import { processSandbox } from "@tunic/security/node";
import type { SkillContext } from "../skill.js";
import type { FileScript, ScriptRunner } from "./file-options.js";
import { defaultLimits, filesDigest, scriptFingerprint } from "./fingerprint.js";
import { type ScriptLimits, scriptFiles } from "./script-files.js";
import { type Interpreters, interpreterOf, interpretersOf } from "./script-interpreter.js";

/** What {@link processScriptRunner} can be told. */
export interface ProcessScriptRunnerOptions {
  /**
   * By extension, with the dot: a program and the words before the script, such as `{ ".rb": ["ruby"] }`. Added to
   * Python (`python3`), Node (the one that runs this program) and shell (`sh`, or `bash` where the first line says
   * so).
   */
  readonly interpreters?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Where scripts run. Default `processSandbox()`: a child process, which is no isolation. */
  readonly sandbox?: Sandbox | undefined;
  /** What scripts find in their environment beside what the sandbox gives them. Default: nothing more. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** In milliseconds. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Of what a script writes, for the model to read. Default 64 KiB. */
  readonly maxOutputBytes?: number | undefined;
  /** How many files the folder of a skill may have whose scripts run. Default 2000. */
  readonly maxFiles?: number | undefined;
  /** Of all these together, in bytes. Default 32 MiB. */
  readonly maxFolderSize?: number | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof ProcessScriptRunnerOptions>([
  "interpreters",
  "sandbox",
  "env",
  "timeoutMs",
  "maxOutputBytes",
  "maxFiles",
  "maxFolderSize",
]);

/** Python would hold output back until it ends, and on Windows write it in the language of the machine. */
const forPython = { PYTHONUNBUFFERED: "1", PYTHONUTF8: "1" } as const;
/** How much of the end of an output is shown, in characters. */
const shownOfEnd = 2000;

/**
 * Runs the scripts of `fileSkills` as programs, in a {@link Sandbox}.
 *
 * A script runs in a copy of its skill's folder, which is made for this run and gone afterwards. The script in it
 * is what was checked, and what stands beside it was read under the same guards, so that imports work and nothing
 * can be exchanged between the look and the run. What it writes there is gone; what it is to leave behind it has to
 * write to an absolute path.
 *
 * The result is what it wrote to standard output. What fails is an error that the model can read, a `ToolError`:
 * `skill_changed` where it is not what a person has agreed to, `script_failed` with the exit code and the end of
 * standard error, `script_timeout`, `script_interpreter` where there is no program for it, `script_folder_size`,
 * `script_name`.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`.
 */
export function processScriptRunner(options: ProcessScriptRunnerOptions = {}): ScriptRunner {
  checkOptionNames("processScriptRunner", options, optionNames);
  const interpreters = interpretersOf(options.interpreters ?? {});
  const settings: Settings = {
    interpreters,
    sandbox: options.sandbox ?? processSandbox(),
    env: { ...forPython, ...options.env },
    timeoutMs: count("timeoutMs", options.timeoutMs ?? 60_000),
    maxOutputBytes: count("maxOutputBytes", options.maxOutputBytes ?? 2 ** 16),
    maxFiles: count("maxFiles", options.maxFiles ?? defaultLimits.maxFiles),
    maxFolderSize: count("maxFolderSize", options.maxFolderSize ?? defaultLimits.maxFolderSize),
  };
  const runner: ScriptRunner = async (script, argv, context) => {
    try {
      return await runScript(script, argv, context, settings);
    } catch (error) {
      // Returned, it is told to the model in its own words.
      if (error instanceof ToolError) return error;
      throw error;
    }
  };
  return Object.assign(runner, {
    extensions: [...interpreters.keys()],
    fingerprint: (script: FileScript, context: SkillContext) =>
      scriptFingerprint(script, context, settings),
  });
}

interface Settings extends ScriptLimits {
  readonly interpreters: Interpreters;
  readonly sandbox: Sandbox;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

async function runScript(
  script: FileScript,
  argv: readonly string[],
  { run, signal }: SkillContext,
  settings: Settings,
): Promise<string> {
  const { interpreters, sandbox, env, timeoutMs, maxOutputBytes } = settings;
  const notice = (code: string, what: string) =>
    run?.notice(code, `The script ${script.name} of the skill "${script.skill}" ${what}`);
  const interpreter = interpreterOf(interpreters, script);
  if (interpreter === undefined) {
    throw new ToolError(
      `Nothing here runs ${script.name}: there are programs for ${[...interpreters.keys()].join(" ")}.`,
      { code: "script_interpreter" },
    );
  }
  if (argv.some((word) => word.includes("\0"))) {
    throw new ToolInvalidArgumentsError("A word of a command line cannot hold a zero character.");
  }
  const { files, leftOut } = await scriptFiles(script, settings, signal);
  if (script.agreed !== undefined && filesDigest(script.name, files) !== script.agreed) {
    throw new ToolError(`${script.name} is not what a person has agreed to.`, {
      code: "skill_changed",
      fix: "It, or a file beside it, was changed in the meantime. Nothing ran; call it again to have somebody asked.",
    });
  }
  if (leftOut.length > 0) notice("script_files", `runs without ${listed(leftOut)}.`);
  const [program, ...before] = interpreter;
  // "./": a name may begin with a hyphen.
  const args = [...before, `./${script.name}`, ...argv];
  const outcome = await sandbox
    .run({ program, args, files, env, timeoutMs, maxOutputBytes, signal })
    .catch((error: unknown) => {
      throw isMissing(error) ? missing(script, program) : error;
    });
  const { leftBehind, stderr } = outcome;
  if (leftBehind !== undefined) notice("script_folder_left", `left ${leftBehind} behind.`);
  const answer = answerOf(script, outcome, timeoutMs);
  // Of a failure it stands in the error; a model that got what it wanted needs no warnings.
  if (stderr.trim() !== "") notice("script_stderr", `wrote to stderr: ${endOf(stderr)}`);
  return answer;
}

function answerOf(script: FileScript, outcome: SandboxOutcome, timeoutMs: number): string {
  const { exitCode, signal, stdout, timedOut, truncated } = outcome;
  if (timedOut) {
    throw failure("script_timeout", `${script.name} was stopped after ${timeoutMs} ms.`, outcome);
  }
  if (exitCode !== 0) {
    const how =
      exitCode === undefined ? `was ended by ${signal}` : `ended with exit code ${exitCode}`;
    throw failure("script_failed", `${script.name} ${how}.`, outcome);
  }
  if (stdout.trim() === "") return `${script.name} ended well and wrote nothing.`;
  return truncated.stdout
    ? `${stdout}\n[It wrote more than can be shown; this is the beginning.]`
    : stdout;
}

/** An error that shows what the script said last. */
function failure(code: string, what: string, { stdout, stderr }: SandboxOutcome): ToolError {
  const [stream, text] = stderr.trim() === "" ? ["stdout", stdout] : ["stderr", stderr];
  const said =
    text.trim() === ""
      ? "It wrote nothing."
      : `The end of what it wrote to ${stream}:\n${endOf(text)}`;
  return new ToolError(`${what} ${said}`, { code });
}

function endOf(text: string): string {
  const trimmed = text.trimEnd();
  if (trimmed.length <= shownOfEnd) return trimmed;
  // Not with the second half of a character.
  return `…${trimmed.slice(-shownOfEnd).replace(/^[\uDC00-\uDFFF]/, "")}`;
}

function listed(names: readonly string[]): string {
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  return `${names.slice(0, 10).join(", ")}${more}`;
}

function isMissing(error: unknown): boolean {
  return error instanceof ToolError && error.code === "sandbox_program_missing";
}

function missing({ name }: FileScript, program: string): ToolError {
  return new ToolError(`${program}, which runs ${name}, is not installed here.`, {
    code: "script_interpreter",
    fix: "Go on without the script, or ask for the program to be installed.",
  });
}

function count(what: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new ConfigurationError(
    "invalid_option",
    `processScriptRunner: \`${what}\` must be a whole number of at least 1.`,
  );
}
