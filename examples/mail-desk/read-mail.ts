import PostalMime, { type Address, type Email, type Mailbox } from "postal-mime";
import { htmlToText } from "./html-text.js";

/** Beyond this, the rest of an HTML body is not looked at. */
const maximumHtml = 500_000;

/** The header under which mail programs keep a mail's labels. */
export const labelHeader = "X-Keywords";

/** One mail, as far as the desk works with it. */
export interface Mail {
  readonly from: Mailbox | undefined;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
  /** Where an answer goes. */
  readonly replyTo: Mailbox | undefined;
  readonly subject: string;
  /** ISO 8601, or what stands in the mail where that is no date; undefined without one. */
  readonly date: string | undefined;
  /** Milliseconds since the epoch; undefined when the date is none. */
  readonly time: number | undefined;
  readonly messageId: string | undefined;
  readonly references: string | undefined;
  readonly text: string;
  /** Whether `text` is all that there is to read: no HTML, nothing attached. */
  readonly plain: boolean;
  readonly attachments: readonly MailAttachment[];
  readonly labels: readonly string[];
}

interface MailAttachment {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
}

/** Reads one RFC 5322 mail. */
export async function readMail(source: Uint8Array): Promise<Mail> {
  const email = await PostalMime.parse(source);
  const [from] = mailboxes(email.from);
  const time = Date.parse(email.date ?? "");
  return {
    from,
    to: mailboxes(email.to),
    cc: mailboxes(email.cc),
    bcc: mailboxes(email.bcc),
    replyTo: mailboxes(email.replyTo)[0] ?? from,
    subject: oneLine(email.subject ?? "(no subject)"),
    date: email.date,
    time: Number.isNaN(time) ? undefined : time,
    messageId: email.messageId,
    references: email.references,
    text: textOf(email),
    plain: email.html === undefined && email.attachments.length === 0,
    attachments: email.attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? "(without a name)",
      type: mimeType,
      bytes: typeof content === "string" ? content.length : content.byteLength,
    })),
    labels: email.headers
      .filter(({ key }) => key === labelHeader.toLowerCase())
      .flatMap(({ value }) => value.split(","))
      .map((label) => label.trim()),
  };
}

/** The plain part where there is one: it is what the sender wrote for reading without a browser. */
function textOf({ text, html }: Email): string {
  return text?.trim() || htmlToText(html?.slice(0, maximumHtml) ?? "");
}

function mailboxes(addresses: Address | readonly Address[] | undefined): readonly Mailbox[] {
  const list = addresses === undefined ? [] : [addresses].flat();
  return list.flatMap((address) => address.group ?? [address]);
}

/** An encoded header can hold line breaks, which would be new headers in an answer to it. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ").trim();
}
