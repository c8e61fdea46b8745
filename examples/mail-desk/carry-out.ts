import type { Agent, AgentInput, AgentResponse } from "@tunic/core";
import { type AnswerOptions, answer } from "./answers.js";
import type { Command } from "./command-line.js";
import { converse } from "./conversation.js";
import { putBack, savePendingRun, usePendingRun } from "./pending-run.js";
import type { RunReport } from "./run-report.js";
import type { Task } from "./task.js";

/** What a task came to in this process. */
export interface Outcome {
  readonly responses: readonly AgentResponse[];
  /** What was decided here, in order: yes or no. */
  readonly decisions: readonly boolean[];
  /** Where the run waits for an answer. */
  readonly saved?: string;
}

/**
 * Runs the task to its end, or to a question that is left to another time. The file of a run that
 * goes on is used up once its question is answered, and there again when the run breaks off.
 */
export async function carryOut(
  task: Task,
  agent: Agent,
  report: RunReport,
  { answers, save, ...show }: Pick<Command, "answers" | "save"> & AnswerOptions,
): Promise<Outcome> {
  const { session, resumed } = task;
  const decisions: boolean[] = [];
  let who = answers;
  const answerPending = async (): Promise<AgentInput | undefined> => {
    const decided = await answer(session.pending, who, show);
    // An answer on the command line is meant for what the file asks.
    if (save !== undefined) who = "save";
    decisions.push(...(decided ?? []).map(({ approved }) => approved));
    return decided;
  };
  const first = resumed === undefined ? task.question : await goingOn(task, answerPending);
  if (resumed !== undefined) await usePendingRun(resumed);
  const run = { ...task, out: task.folder.copy };
  try {
    const conversation = { agent, session, report, signal: show.signal, answer: answerPending };
    const responses = await converse(conversation, first);
    if (save === undefined || session.pending.length === 0) return { responses, decisions };
    await savePendingRun(save, run);
    return { responses, decisions, saved: save };
  } catch (error) {
    if (resumed !== undefined) {
      await putBack(resumed, run);
      console.error(`mail-desk: the run broke off; --resume ${resumed} goes on with it.`);
    }
    throw error;
  }
}

/** A run that broke off after its questions were answered has nothing more to ask for now. */
async function goingOn(
  { session }: Task,
  answerPending: () => Promise<AgentInput | undefined>,
): Promise<AgentInput | undefined> {
  return session.pending.length === 0 ? [] : answerPending();
}
