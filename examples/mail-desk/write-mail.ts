import { Type } from "@sinclair/typebox";
import { type FunctionTool, ToolInvalidArgumentsError, tool } from "@tunic/core";
import { addressParser, type Mailbox } from "postal-mime";
import { isAddress, mailDraft } from "./mail-draft.js";
import type { MailFolder } from "./mail-folder.js";

/**
 * Sends any text to any address, and asks nobody. It is what attackers wish for; the careful desk has
 * `draft_reply` and `send` instead.
 */
export function writeMail({ mails, outbox }: MailFolder): FunctionTool {
  return tool({
    name: "write_mail",
    title: "Write a mail",
    description: "Sends a mail to one address, at once.",
    destructive: true,
    parameters: Type.Object({
      to: Type.String({ description: "An address, with or without a name." }),
      subject: Type.String(),
      text: Type.String({ minLength: 1 }),
    }),
    async execute({ to, subject, text }) {
      const [owner] = mails[0]?.to ?? [];
      const head = { from: owner, to: recipient(to), subject: subject.replace(/\p{Cc}+/gu, " ") };
      const path = await outbox.add("mail", mailDraft(head, text, new Date()));
      const draft = await outbox.read(path);
      if (draft === undefined) throw new Error(`${path} is gone.`);
      return { sent: await outbox.send(draft, new Date()) };
    },
  });
}

function recipient(to: string): Mailbox {
  const [only, ...more] = addressParser(to, { flatten: true });
  if (only?.address !== undefined && more.length === 0 && isAddress(only.address)) {
    return { name: only.name, address: only.address };
  }
  throw new ToolInvalidArgumentsError("/to: one address is expected, such as ann@example.com.");
}
