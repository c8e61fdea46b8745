import { existsSync, statSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { AgentSession, isJsonObject } from "@tunic/core";
import { type Desk, type ModelChoice, UsageError } from "./command-line.js";

const kind = "mail-desk-run";
const version = 1;

/** A run that waits for an answer: all that another process needs to go on with it. */
export interface PendingRun {
  readonly choice: ModelChoice;
  readonly desk: Desk;
  readonly question: string;
  readonly standard: boolean;
  /** Where the copy of the mails is, with drafts and sent mails. */
  readonly out: string;
  readonly session: AgentSession;
}

const Choice = Type.Union([
  Type.Object({ provider: Type.Literal("scripted") }),
  Type.Object({
    provider: Type.Union([
      Type.Literal("openai"),
      Type.Literal("anthropic"),
      Type.Literal("gemini"),
    ]),
    model: Type.String(),
    baseURL: Type.Optional(Type.String({ pattern: "^https?:" })),
  }),
]);

/** The file. It holds no key: that has to be in the environment again. */
const SavedRun = Type.Object({
  kind: Type.Literal(kind),
  version: Type.Literal(version),
  choice: Choice,
  /** Absent: careful, as all were once. */
  desk: Type.Optional(
    Type.Union([Type.Literal("careful"), Type.Literal("poisoned"), Type.Literal("secure")]),
  ),
  question: Type.String(),
  standard: Type.Boolean(),
  out: Type.String({ minLength: 1 }),
  /** What is asked, for other programs to show. What counts stands in the session. */
  requests: Type.Array(Type.Unknown()),
  session: Type.Unknown(),
});

/**
 * Writes the run to a new file, for its owner's eyes alone: the mails that were read are in it.
 *
 * @throws UsageError when there is such a file.
 */
export async function savePendingRun(file: string, run: PendingRun): Promise<void> {
  const { choice, desk, question, standard, out, session } = run;
  const saved: Static<typeof SavedRun> = {
    kind,
    version,
    choice,
    desk,
    question,
    standard,
    out,
    requests: [...session.pending],
    session: session.toJSON(),
  };
  const text = `${JSON.stringify(saved, undefined, 2)}\n`;
  await writeFile(file, text, { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
    throw new UsageError(`--save ${file}: by now there is such a file; the run was not saved.`);
  });
}

/** @throws UsageError for a file that no run can go on from. */
export async function readPendingRun(file: string): Promise<PendingRun> {
  const bad = (why: string): UsageError => new UsageError(`--resume ${file}: ${why}`);
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw bad(`the file cannot be read (${codeOf(error)}).`);
    throw bad(existsSync(usedName(file)) ? alreadyUsed : "there is no such file.");
  });
  const data = parsed(text);
  if (data === undefined) throw bad("this is no JSON.");
  if (!isJsonObject(data) || data["kind"] !== kind) {
    throw bad("this is no run that --save has written.");
  }
  if (data["version"] !== version) {
    throw bad(`it has version ${data["version"]}; this mail desk reads version ${version}.`);
  }
  if (!Value.Check(SavedRun, data)) {
    const [wrong] = Value.Errors(SavedRun, data);
    throw bad(`the file is damaged: ${wrong?.path}: ${wrong?.message}.`);
  }
  const { choice, desk = "careful", question, standard, out } = data;
  if (!statSync(out, { throwIfNoEntry: false })?.isDirectory()) {
    throw bad(`the folder ${out}, in which the run works, is gone.`);
  }
  return { choice, desk, question, standard, out, session: sessionOf(data.session, bad) };
}

/**
 * Takes the file for this process alone; it is called `….used` from now on.
 *
 * @throws UsageError when another process was faster.
 */
export async function usePendingRun(file: string): Promise<void> {
  await rename(file, usedName(file)).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
    throw new UsageError(`--resume ${file}: ${alreadyUsed}`);
  });
}

/** The run broke off: its file is there again, as the run stands now, and can be gone on with. */
export async function putBack(file: string, run: PendingRun): Promise<void> {
  await savePendingRun(file, run);
  await rm(usedName(file), { force: true });
}

const alreadyUsed =
  "it was used already, and its run has gone on. Nothing was done now, and nothing is sent twice.";

function usedName(file: string): string {
  return `${file}.used`;
}

function sessionOf(data: unknown, bad: (why: string) => UsageError): AgentSession {
  try {
    return AgentSession.fromJSON(data);
  } catch (error) {
    throw bad(`its session cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
