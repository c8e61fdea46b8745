import type { Mailbox } from "postal-mime";

/** What stands above the text of a mail. */
export interface MailHead {
  readonly from?: Mailbox | undefined;
  readonly to: Mailbox;
  readonly subject: string;
  /** Further header fields, ready to be written. */
  readonly fields?: readonly string[];
}

/** A mail that is not sent yet, as an RFC 5322 message that mail programs open for editing. */
export function mailDraft({ from, to, subject, fields = [] }: MailHead, body: string, now: Date) {
  const lines = [
    // The mark of an unsent mail.
    "X-Unsent: 1",
    ...(from !== undefined && isAddress(from.address) ? [`From: ${mailbox(from)}`] : []),
    `To: ${mailbox(to)}`,
    `Subject: ${encodedWords(subject)}`,
    `Date: ${now.toUTCString().replace("GMT", "+0000")}`,
    ...fields,
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

/** Whether a mail can go to this address, and it cannot be read as more than one. */
export function isAddress(address: string): boolean {
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
