import type { Mailbox } from "postal-mime";
import type { Mail } from "./read-mail.js";

/**
 * The answer to a mail as an RFC 5322 message that mail programs open for editing. It goes where
 * the mail says, whatever else its text asks for.
 *
 * @returns undefined when the mail has no address that an answer could go to.
 */
export function replyDraft(mail: Mail, body: string, now: Date): string | undefined {
  const { replyTo, messageId, references } = mail;
  if (replyTo === undefined || !isAddress(replyTo.address)) return undefined;
  const [owner] = mail.to;
  const lines = [
    // The mark of an unsent mail.
    "X-Unsent: 1",
    ...(owner !== undefined && isAddress(owner.address) ? [`From: ${mailbox(owner)}`] : []),
    `To: ${mailbox(replyTo)}`,
    `Subject: ${encodedWords(/^re:/i.test(mail.subject) ? mail.subject : `Re: ${mail.subject}`)}`,
    `Date: ${now.toUTCString().replace("GMT", "+0000")}`,
    ...(messageId === undefined ? [] : threadHeaders(messageId, references)),
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: base64",
    "",
    ...(Buffer.from(body, "utf8")
      .toString("base64")
      .match(/.{1,76}/g) ?? []),
    "",
  ];
  return lines.join("\r\n");
}

function threadHeaders(messageId: string, references = ""): readonly string[] {
  const ids = [...references.split(/\s+/), messageId].filter((id) => /^<[!-~]+>$/.test(id));
  return [`In-Reply-To: ${ids.at(-1) ?? ""}`, `References: ${ids.join("\r\n ")}`];
}

function isAddress(address: string): boolean {
  return /^[^\s<>,;:"()@]+@[^\s<>,;:"()@]+$/.test(address);
}

function mailbox({ name, address }: Mailbox): string {
  if (name === "") return address;
  const quoted = /^[ -~]*$/.test(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : encodedWords(name);
  return `${quoted} <${address}>`;
}

/** Text as a header can hold it: ASCII as it is, everything else in words of RFC 2047. */
function encodedWords(text: string): string {
  if (/^[ -~]{0,200}$/.test(text)) return text;
  // Ten code points are at most 40 bytes, so that no word gets longer than the 75 it may have.
  const words = text.match(/.{1,10}/gsu) ?? [];
  return words
    .map((word) => `=?UTF-8?B?${Buffer.from(word, "utf8").toString("base64")}?=`)
    .join("\r\n ");
}
