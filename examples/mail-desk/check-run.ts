import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type AgentResponse, textOf } from "@tunic/core";
import type { MailFolder } from "./mail-folder.js";
import { readMail } from "./read-mail.js";
import type { RunReport } from "./run-report.js";

const none = { contents: [] };

/** What holds of every run, whatever was asked. */
export function checkStream(report: RunReport, response: AgentResponse): void {
  assert.equal(textOf(report.streamed.messages.at(-1) ?? none), response.text, "streamed text");
  assert.deepEqual(report.streamed.messages, response.messages, "streamed messages");
}

/** What the scripted run over the mails of this example has to come to, on disk too. */
export async function checkScriptedRun(
  report: RunReport,
  response: AgentResponse,
  folder: MailFolder,
): Promise<void> {
  assert.equal(response.outcome, "completed", "outcome");
  assert.equal(report.rounds, 5, "rounds");
  assert.deepEqual(
    report.calls.map(({ name, outcome }) => `${name} ${outcome}`).toSorted(),
    [
      "draft_reply completed",
      "label_mails completed",
      "label_mails refused",
      "list_mails completed",
      ...Array.from({ length: 4 }, () => "read_mail completed"),
      "search_mails completed",
    ],
    "calls",
  );
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
  assert.equal(folder.outbox.drafts.length, 1, "drafts");
  const draft = await readMail(await readFile(join(folder.copy, folder.outbox.drafts[0] ?? "")));
  assert.equal(draft.replyTo?.address, "mara@example.com", "sender of the draft");
  assert.equal(draft.to[0]?.address, "amelia.okafor@example.org", "recipient of the draft");
  assert.equal(draft.subject, "Re: Quote for 40 chairs", "subject of the draft");
  assert.match(draft.text, /“Quote for 40 chairs”.*20 November\?/s, "text of the draft");
}
