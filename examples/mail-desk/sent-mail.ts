import { randomUUID } from "node:crypto";
import type { Mail } from "./read-mail.js";

/** Header fields that a draft may have and a sent mail must not, or has as of its sending. */
const replaced = /^(?:X-Unsent|Date|Message-ID):/i;

/**
 * A draft as it goes out: no longer marked as unsent, with the time of its sending and an id of its
 * own. Everything else stays as it is, byte by byte.
 */
export function sentMail(draft: Uint8Array, { from }: Mail, now: Date): Uint8Array {
  // One character for each byte, so that the body comes out as it went in.
  const text = Buffer.from(draft).toString("latin1");
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
  const fields = text.slice(0, end).split(/\r?\n(?![ \t])/);
  const domain = from?.address.split("@").at(-1) ?? "localhost";
  const head = [
    ...fields.filter((field) => !replaced.test(field)),
    `Date: ${now.toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${randomUUID()}@${domain}>`,
  ];
  return Buffer.from(head.join("\r\n") + text.slice(end), "latin1");
}
