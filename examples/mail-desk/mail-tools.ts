import { Type } from "@sinclair/typebox";
import {
  type FunctionTool,
  ToolError,
  type ToolInput,
  ToolInvalidArgumentsError,
  tool,
} from "@tunic/core";
import type { FiledMail, MailFolder } from "./mail-folder.js";
import { sendTool } from "./send-tool.js";

/** How much of a mail is read at once, in characters. */
const pageSize = 2000;

const mailId = Type.String({ description: "The id of a mail, such as m3." });

/** Everything the assistant can do. Nothing here deletes a mail, and sending asks a person first. */
export function mailTools(folder: MailFolder): ToolInput {
  return [...mailboxTools(folder), draftReply(folder), sendTool(folder.outbox)];
}

/** What has to do with the mails that have come in. */
export function mailboxTools(folder: MailFolder): readonly FunctionTool[] {
  return [listMails(folder), searchMails(folder), readOneMail(folder), labelMails(folder)];
}

function listMails(folder: MailFolder) {
  return tool({
    name: "list_mails",
    description: "Lists mails, newest first.",
    readOnly: true,
    parameters: Type.Object({
      label: Type.Optional(Type.String({ description: "Only mails with this label." })),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      offset: Type.Integer({ minimum: 0, default: 0 }),
    }),
    execute({ label, limit, offset }) {
      const found = folder.mails.filter((mail) => !label || mail.labels.includes(label));
      return { total: found.length, mails: found.slice(offset, offset + limit).map(summary) };
    },
  });
}

function searchMails(folder: MailFolder) {
  return tool({
    name: "search_mails",
    description: "Finds mails that contain any of the words; the best matches come first.",
    readOnly: true,
    parameters: Type.Object({
      query: Type.String({ minLength: 1, description: "Words, separated by blanks." }),
      limit: Type.Integer({ minimum: 1, maximum: 50, default: 10 }),
    }),
    execute({ query, limit }) {
      const words = [...new Set(plain(query).split(/\s+/).filter(Boolean))];
      const found = folder.mails
        .map((mail) => ({ mail, score: scoreOf(mail, words) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score);
      return { total: found.length, mails: found.slice(0, limit).map(({ mail }) => summary(mail)) };
    },
  });
}

function readOneMail(folder: MailFolder) {
  return tool({
    name: "read_mail",
    description: `Reads a mail, ${pageSize} characters at a time.`,
    readOnly: true,
    parameters: Type.Object({
      id: mailId,
      offset: Type.Integer({ minimum: 0, default: 0, description: "Where to go on reading." }),
    }),
    execute({ id, offset }) {
      const mail = known(folder, id);
      const end = offset + pageSize;
      return {
        ...summary(mail),
        to: mail.to.map(({ address }) => address),
        text: mail.text.slice(offset, end),
        ...(end < mail.text.length && { continuesAt: end, length: mail.text.length }),
        attachments: mail.attachments,
      };
    },
  });
}

function labelMails(folder: MailFolder) {
  return tool({
    name: "label_mails",
    description: "Puts a label on one or several mails.",
    destructive: false,
    parameters: Type.Object({
      ids: Type.Array(mailId, { minItems: 1, uniqueItems: true }),
      label: Type.String({ pattern: "^[a-z][a-z0-9-]{0,30}$", description: "Such as to-pay." }),
    }),
    // Two labels for one mail are written one after the other.
    resources: ({ ids }) => ids,
    async execute({ ids, label }) {
      // All ids are looked up before anything is written: a call is done or it is not.
      const mails = ids.map((id) => known(folder, id));
      for (const mail of mails) await folder.label(mail, label);
      return { labelled: mails.length };
    },
  });
}

function draftReply(folder: MailFolder) {
  return tool({
    name: "draft_reply",
    description:
      "Drafts an answer to a mail and tells the draft's name. Sender, recipient and subject follow from the mail.",
    destructive: false,
    parameters: Type.Object({
      id: mailId,
      text: Type.String({ minLength: 1, description: "The answer, salutation and all." }),
    }),
    async execute({ id, text }) {
      const mail = known(folder, id);
      const path = await folder.draftReply(mail, text);
      if (path !== undefined) return { draft: path, to: mail.replyTo?.address };
      throw new ToolError(`${mail.file} has no usable address.`, {
        code: "no_address",
        fix: "This mail has no address to answer to. Tell the user so.",
      });
    },
  });
}

function known(folder: MailFolder, id: string): FiledMail {
  const mail = folder.find(id);
  if (mail !== undefined) return mail;
  throw new ToolInvalidArgumentsError(
    `There is no mail ${JSON.stringify(id)}. list_mails and search_mails tell the ids.`,
  );
}

function summary({ id, from, subject, date, labels, attachments }: FiledMail) {
  return {
    id,
    from: from === undefined ? "unknown" : `${from.name} <${from.address}>`.trim(),
    subject,
    date: date ?? "unknown",
    ...(labels.length > 0 && { labels }),
    ...(attachments.length > 0 && { attachments: attachments.map(({ name }) => name) }),
  };
}

/** One point for each word in the text, two where it is in the subject or the sender's name. */
function scoreOf(mail: FiledMail, words: readonly string[]): number {
  const head = plain(`${mail.subject} ${mail.from?.name ?? ""} ${mail.from?.address ?? ""}`);
  const text = plain(mail.text);
  let score = 0;
  for (const word of words) score += head.includes(word) ? 2 : text.includes(word) ? 1 : 0;
  return score;
}

function plain(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
