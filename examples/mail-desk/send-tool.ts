import { Type } from "@sinclair/typebox";
import { type Middleware, ToolError, tool, verdictMiddleware } from "@tunic/core";
import type { Mailbox } from "postal-mime";
import { AlreadySentError, type Draft, type Outbox } from "./outbox.js";

const toolName = "send";

/** The tool that sends a draft, once a person has seen the whole of it and agreed. */
export function sendTool(outbox: Outbox) {
  return tool({
    name: toolName,
    title: "Send a mail",
    description:
      "Sends a draft as it stands in its file. The user is asked first and may say no; then do not try again.",
    parameters: Type.Object({
      draft: Type.String({ description: "The draft, as draft_reply has named it." }),
    }),
    approvalMode: "always_require",
    // Nothing is lost by sending, but what has been sent cannot be taken back.
    destructive: true,
    async describeCall({ draft }) {
      const found = await outbox.read(draft);
      return found === undefined ? `There is no draft ${draft}.` : inWords(found);
    },
    async execute({ draft }, { approval }) {
      const found = await outbox.read(draft);
      // Between question and answer there may be days, in which the file lies in a folder.
      if (found === undefined || inWords(found) !== approval?.summary) throw changed(draft);
      try {
        const sent = await outbox.send(found, new Date());
        return { sent, to: found.mail.to.map(({ address }) => address) };
      } catch (error) {
        throw error instanceof AlreadySentError ? alreadySent(draft) : error;
      }
    },
  });
}

/** Nobody is asked about a mail that cannot be sent: the model is told at once. */
export function onlySendable(outbox: Outbox): Middleware {
  return verdictMiddleware("only-sendable", async (context, next) => {
    if (context.tool.name !== toolName) return next();
    const message = await whyNot(String(context.arguments["draft"]), outbox);
    return message === undefined ? next() : { kind: "deny", message };
  });
}

async function whyNot(draft: string, outbox: Outbox): Promise<string | undefined> {
  if (await outbox.wasSent(draft)) return `not run: ${sentAlready}`;
  const found = await outbox.read(draft);
  if (found === undefined) {
    return `not run: there is no draft ${JSON.stringify(draft)}. The drafts are: ${outbox.drafts.join(", ") || "none"}.`;
  }
  const { from, to, plain } = found.mail;
  if (from === undefined) return "not run: the draft has no sender. Tell the user so.";
  if (to.length === 0) return "not run: the draft goes to nobody. Tell the user so.";
  if (plain) return undefined;
  // What cannot be shown to the person who decides, is not sent.
  return "not run: the draft holds more than plain text, such as attachments. Only a mail program can send it; tell the user so.";
}

/** All that the mail says and everybody who gets it. Nothing is cut: it is what a person agrees to. */
function inWords({ mail }: Draft): string {
  const { from, to, cc, bcc, subject, text } = mail;
  const fields: readonly (readonly [string, readonly Mailbox[]])[] = [
    ["From", from === undefined ? [] : [from]],
    ["To", to],
    ["Cc", cc],
    ["Bcc", bcc],
  ];
  return [
    "Send this mail:",
    ...fields.flatMap(([name, boxes]) =>
      boxes.length === 0 ? [] : `${name}: ${boxes.map(mailbox).join(", ")}`,
    ),
    `Subject: ${subject}`,
    "",
    text,
  ].join("\n");
}

function mailbox({ name, address }: Mailbox): string {
  return name === "" ? address : `${name} <${address}>`;
}

function changed(draft: string): ToolError {
  return new ToolError(`${draft} is not what the user was shown.`, {
    code: "draft_changed",
    fix: "The draft has changed since the user was asked, so it was not sent. Call send again: they are shown it as it is now.",
  });
}

const sentAlready = "this draft has been sent already. Do not send it again; tell the user so.";

function alreadySent(draft: string): ToolError {
  return new ToolError(`${draft} has been sent already.`, {
    code: "already_sent",
    fix: `Nothing was sent now: ${sentAlready}`,
  });
}
