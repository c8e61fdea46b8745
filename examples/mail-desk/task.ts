import { AgentSession } from "@tunic/core";
import { type Command, checkKey, type Desk, type ModelChoice } from "./command-line.js";
import { MailFolder } from "./mail-folder.js";
import { readPendingRun } from "./pending-run.js";

/** What there is to do: the same for a run that begins and for one that goes on. */
export interface Task {
  readonly choice: ModelChoice;
  readonly desk: Desk;
  readonly question: string;
  readonly standard: boolean;
  readonly folder: MailFolder;
  readonly session: AgentSession;
  /** Where the mails were copied from, when the run begins. */
  readonly mail?: string;
  /** The file from which the run goes on. */
  readonly resumed?: string;
}

/** @throws UsageError */
export async function openTask(start: Command["start"]): Promise<Task> {
  if (!("resume" in start)) {
    const { out, ...rest } = start;
    const folder = await MailFolder.open(rest.mail, out);
    return { ...rest, folder, session: new AgentSession() };
  }
  const { out, ...rest } = await readPendingRun(start.resume);
  checkKey(rest.choice, process.env);
  return { ...rest, folder: await MailFolder.reopen(out), resumed: start.resume };
}
