import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type AgentResponse, textOf } from "@tunic/core";
import type { Outcome } from "./carry-out.js";
import { checkHouseStyle } from "./check-house-style.js";
import type { MailFolder } from "./mail-folder.js";
import { Outbox } from "./outbox.js";
import { readMail } from "./read-mail.js";
import type { RunReport } from "./run-report.js";
import type { Task } from "./task.js";

const none = { contents: [] };

/** What holds of every run, whatever was asked. */
export function checkStream(report: RunReport, response: AgentResponse): void {
  assert.equal(textOf(report.streamed.messages.at(-1) ?? none), response.text, "streamed text");
  assert.deepEqual(report.streamed.messages, response.messages, "streamed messages");
}

/**
 * What the scripted run over the mails of this example has to come to, on disk too: as far as it has
 * come here, and as it was answered here.
 *
 * @param sentBefore How many mails had been sent when this process began.
 */
export async function checkScriptedRun(
  report: RunReport,
  end: Outcome,
  { folder, resumed }: Task,
  sentBefore: number,
): Promise<void> {
  const last = end.responses.at(-1);
  if (resumed === undefined) {
    checkWork(report, end);
    await checkDraft(report);
  }
  await checkLabels(folder);
  // Read anew: another process may have had a copy of the same run.
  const { drafts, sent } = await Outbox.open(folder.copy);
  assert.equal(drafts.length + sent.length, 1, "drafts and sent mails");
  await checkReply(join(folder.copy, drafts[0] ?? sent[0] ?? ""), sent.length > 0);
  const done = report.calls.filter((call) => call.name === "send" && call.outcome === "completed");
  if (done.length > 0) assert.equal(sent.length, 1, "mails after one was sent");
  if (!end.decisions.includes(true)) assert.equal(sent.length, sentBefore, "mails sent unasked");
  if (end.saved !== undefined) return;
  assert.equal(last?.outcome, "completed", "outcome");
  assert.match(last?.text ?? "", sent.length > 0 ? /sent/ : /not send/, "answer");
}

/** The rounds and calls of a run that began here. Each decision brings one call of `send`, and a round. */
function checkWork({ rounds, calls }: RunReport, { decisions }: Outcome): void {
  assert.equal(rounds, 6 + decisions.length, "rounds");
  const sends = calls.filter(({ name }) => name === "send");
  assert.deepEqual(
    sends.map(({ outcome }) => outcome),
    decisions.map((approved) => (approved ? "completed" : "refused")),
    "calls of send",
  );
  assert.deepEqual(
    calls
      .filter(({ name }) => name !== "send")
      .map(({ name, outcome }) => `${name} ${outcome}`)
      .toSorted(),
    [
      "draft_reply completed",
      "label_mails completed",
      "label_mails refused",
      "list_mails completed",
      "load_skill completed",
      ...Array.from({ length: 4 }, () => "read_mail completed"),
      "read_skill_resource completed",
      "search_mails completed",
    ],
    "calls",
  );
}

/** What the model has written. Later the draft is its owner's, who may write into it as they like. */
async function checkDraft({ calls }: RunReport): Promise<void> {
  const { arguments: drafted = {} } = calls.find(({ name }) => name === "draft_reply") ?? {};
  const text = "text" in drafted ? String(drafted.text) : "";
  await checkHouseStyle(text, "holding-reply");
}

async function checkLabels(folder: MailFolder): Promise<void> {
  const labelled: string[] = [];
  for (const { file } of folder.mails) {
    const { labels } = await readMail(await readFile(join(folder.copy, file)));
    if (labels.includes("needs-reply")) labelled.push(file);
  }
  assert.deepEqual(
    labelled,
    ["04-mihon.eml", "03-rechnung.eml", "01-quote-for-chairs.eml"],
    "labelled mails",
  );
}

async function checkReply(file: string, sent: boolean): Promise<void> {
  const bytes = await readFile(file);
  const reply = await readMail(bytes);
  assert.equal(reply.from?.address, "mara@example.com", "sender of the reply");
  assert.equal(reply.to[0]?.address, "amelia.okafor@example.org", "recipient of the reply");
  assert.equal(reply.subject, "Re: Quote for 40 chairs", "subject of the reply");
  assert.match(reply.text, /“Quote for 40 chairs”.*20 November\?/s, "text of the reply");
  assert.equal(bytes.includes("X-Unsent"), !sent, "mark of an unsent mail");
  assert.equal(reply.messageId !== undefined, sent, "id of a sent mail");
  assert.ok(reply.time !== undefined, "date of the reply");
}
