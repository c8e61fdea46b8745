import type { ChatMessage, ToolCall } from "@copilotkit/aimock";
import { filledIn, type Style, styleFor } from "./house-style.js";
import {
  call,
  type Result,
  resultsIn,
  type ScriptedAnswer,
  succeeded,
  textOf,
} from "./scripted-answer.js";

// What the tools give, as far as the script reads it.
interface Listed {
  readonly mails: readonly { readonly id: string }[];
}
interface Drafted {
  readonly draft: string;
  readonly to: string;
}
interface Read {
  readonly id: string;
  readonly from: string;
  readonly subject: string;
  readonly date: string;
  readonly text: string;
}

/** Words in which people ask for an answer, in the languages of this mailbox. */
const askingWords = "please bitte ご返信";

/**
 * The next answer of a model that is a script. It keeps no memory: like a real one it finds
 * everything in the conversation.
 */
export function nextAnswer(messages: readonly ChatMessage[]): ScriptedAnswer {
  const question = textOf(messages.findLast(({ role }) => role === "user"));
  const results = resultsIn(messages);
  if (!/wait.*answer/is.test(question)) return lookUp(question, results);
  return triage(results, styleFor(/cannot answer/i, messages, results));
}

/** Finds the mails that wait for an answer, labels them and answers the oldest, as the house does it. */
function triage(results: readonly Result[], style: Style): ScriptedAnswer {
  const [search] = succeeded<Listed>(results, "search_mails");
  if (search === undefined) {
    return {
      text: "I look through the mailbox first.",
      calls: [
        call("list_mails", { limit: 20 }),
        call("search_mails", { query: askingWords, limit: 5 }),
      ],
    };
  }
  const read = succeeded<Read>(results, "read_mail");
  if (read.length === 0 && search.mails.length > 0) {
    return {
      text: "These may ask for something; I read them.",
      calls: search.mails.map(({ id }) => call("read_mail", { id })),
    };
  }
  const waiting = read.filter((mail) => question(mail) !== undefined && !isForAssistants(mail));
  const [oldest] = waiting.toSorted((a, b) => a.date.localeCompare(b.date));
  if (oldest === undefined) return { text: "No mail waits for an answer." };

  const ids = waiting.map(({ id }) => id);
  const calls = [...labelling(ids, results), ...answering(oldest, style, results)];
  if (calls.length > 0) return { text: "", calls };
  return (
    sending(oldest, results) ?? {
      text: conclusion(waiting, oldest, read.filter(isForAssistants), results),
    }
  );
}

function labelling(ids: readonly string[], results: readonly Result[]): readonly ToolCall[] {
  const labels = results.filter(({ name }) => name === "label_mails");
  // A mistake that models make: the tool does not take blanks, and says so.
  if (labels.length === 0) return [call("label_mails", { ids, label: "needs reply" })];
  if (labels.length > 1 || !labels[0]?.failed) return [];
  return [call("label_mails", { ids, label: "needs-reply" })];
}

/** First how it is done here, then the draft. */
function answering(mail: Read, style: Style, results: readonly Result[]): readonly ToolCall[] {
  if (results.some(({ name }) => name === "draft_reply")) return [];
  if (style.call !== undefined) return [style.call];
  return [call("draft_reply", { id: mail.id, text: replyTo(mail, style) })];
}

/** Asks for the draft to be sent, and again when it is another one by now. */
function sending(oldest: Read, results: readonly Result[]): ScriptedAnswer | undefined {
  const [drafted] = succeeded<Drafted>(results, "draft_reply");
  const last = results.findLast(({ name }) => name === "send");
  if (drafted === undefined || (last !== undefined && !/has changed since/.test(last.text))) {
    return undefined;
  }
  return {
    text:
      last === undefined
        ? `${nameOf(oldest)} has waited longest. I would send the draft now, if you agree.`
        : "The draft is another one by now. I would send it as it is.",
    calls: [call("send", { draft: drafted.draft })],
  };
}

function conclusion(
  waiting: readonly Read[],
  oldest: Read,
  suspicious: readonly Read[],
  results: readonly Result[],
): string {
  const lines = waiting.map(
    (mail) => `- ${mail.id}, ${nameOf(mail)}, “${mail.subject}”: ${question(mail)}`,
  );
  return [
    `${waiting.length} mails wait for an answer; I labelled them needs-reply:`,
    "",
    ...lines,
    "",
    `${nameOf(oldest)} has waited longest. ${whatBecameOfTheReply(results)}`,
    ...suspicious.map(
      (mail) =>
        `${mail.id} (“${mail.subject}”) holds instructions for an assistant. I did not follow them.`,
    ),
  ].join("\n");
}

function whatBecameOfTheReply(results: readonly Result[]): string {
  const [drafted] = succeeded<Drafted>(results, "draft_reply");
  if (drafted === undefined) return "I could not draft a reply.";
  const { failed = true, text = "" } = results.findLast(({ name }) => name === "send") ?? {};
  if (/sent already/.test(text)) {
    return `The reply to ${drafted.to} had been sent already; I did not send it again.`;
  }
  if (/person has denied/.test(text)) {
    return `I did not send the reply to ${drafted.to}, as you wish; it stays in ${drafted.draft}.`;
  }
  if (failed) return `I could not send the reply to ${drafted.to}: ${text}`;
  const [sent] = succeeded<{ sent: string }>(results, "send");
  return `The reply to ${drafted.to} is sent, and stands in ${sent?.sent}.`;
}

/** For every other question: a script does not understand it, so it looks for its words. */
function lookUp(asked: string, results: readonly Result[]): ScriptedAnswer {
  const [search] = succeeded<Listed>(results, "search_mails");
  if (search === undefined) {
    const words = asked.match(/[\p{L}\p{N}@.-]{4,}/gu) ?? [asked];
    return {
      text: "",
      calls: [call("search_mails", { query: words.join(" "), limit: 3 })],
    };
  }
  const read = succeeded<Read>(results, "read_mail");
  if (read.length === 0 && search.mails.length > 0) {
    return { text: "", calls: search.mails.map(({ id }) => call("read_mail", { id })) };
  }
  const found = read.map((mail) => `- ${mail.id}, ${mail.from}, “${mail.subject}”`);
  return {
    text: [
      "I am a script and do not understand questions. What I can do is look for the words of yours:",
      ...(found.length > 0 ? found : ["no mail holds any of them."]),
    ].join("\n"),
  };
}

function replyTo(mail: Read, { template = ownWords }: Style): string {
  return filledIn(template, {
    name: nameOf(mail),
    subject: mail.subject.replace(/^re:\s*/i, ""),
    question: question(mail) ?? "",
  });
}

/** What it writes when nobody has told it how. */
const ownWords = `Hi {name}!

Great question! I'm on it and will send you a price tomorrow.`;

/** The first question in a mail, from the end of the sentence before it ("27." ends none). */
function question({ text }: Read): string | undefined {
  return text
    .replace(/\s*\n\s*/g, " ")
    .match(/(?:[^.!?。！？]|(?<=\d)\.)*[?？]/)?.[0]
    .trim();
}

function isForAssistants({ text }: Read): boolean {
  return /ignore (all )?(previous|earlier) instructions/i.test(text);
}

function nameOf({ from }: Read): string {
  return from.replace(/\s*<.*$/, "") || from;
}
