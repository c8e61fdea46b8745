import type { Outcome } from "./carry-out.js";
import type { RunReport } from "./run-report.js";
import type { Task } from "./task.js";

/** What happened in this process, as JSON for programs. */
export function transcript(task: Task, report: RunReport, end: Outcome): string {
  const { choice, question, folder, session, resumed } = task;
  const { calls, rounds, durationMs, usage } = report;
  const last = end.responses.at(-1);
  const head = {
    model: choice,
    question,
    answer: last?.text ?? "",
    outcome: last?.outcome ?? "paused",
    out: folder.copy,
    sent: folder.outbox.sent,
    ...(end.saved !== undefined && { saved: end.saved, requests: session.pending }),
  };
  // What the user has asked stands above; what they have answered to the agent belongs in between.
  const messages = end.responses.flatMap((response, at) =>
    at === 0 && resumed === undefined ? response.messages : response.newMessages,
  );
  const whole = { ...head, rounds, durationMs, usage, calls, messages };
  return `${JSON.stringify(whole, undefined, 2)}\n`;
}
