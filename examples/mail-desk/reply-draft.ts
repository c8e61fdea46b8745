import { isAddress, mailDraft } from "./mail-draft.js";
import type { Mail } from "./read-mail.js";

/**
 * The answer to a mail as a draft. It goes where the mail says, whatever else its text asks for.
 *
 * @returns undefined when the mail has no address that an answer could go to.
 */
export function replyDraft(mail: Mail, body: string, now: Date): string | undefined {
  const { replyTo, messageId, references } = mail;
  if (replyTo === undefined || !isAddress(replyTo.address)) return undefined;
  const [from] = mail.to;
  const subject = /^re:/i.test(mail.subject) ? mail.subject : `Re: ${mail.subject}`;
  const fields = messageId === undefined ? [] : threadHeaders(messageId, references);
  return mailDraft({ from, to: replyTo, subject, fields }, body, now);
}

function threadHeaders(messageId: string, references = ""): readonly string[] {
  const ids = [...references.split(/\s+/), messageId].filter((id) => /^<[!-~]+>$/.test(id));
  return [`In-Reply-To: ${ids.at(-1) ?? ""}`, `References: ${ids.join("\r\n ")}`];
}
