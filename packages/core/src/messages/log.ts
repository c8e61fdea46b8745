import type {
  Content,
  FunctionApprovalResponseContent,
  FunctionCallContent,
  FunctionResultContent,
} from "./content.js";
import { callsOf, type Message } from "./message.js";
import { answersOf, asksHosted, hostedRequestIds, isHosted } from "./requests.js";

/** What is wrong with a log. */
export interface HistoryProblem {
  readonly code: "duplicate_call" | "duplicate_result" | "orphan_result" | "early_result";
  readonly callId: string;
  readonly messageId: string;
  readonly message: string;
}

interface PlacedResult {
  readonly at: number;
  readonly message: Message;
  readonly content: FunctionResultContent;
}

/**
 * What a model may see of a log: each batch of calls stands, with all its results in one tool
 * message, where its last result stands; an unfinished batch, results without a call and the
 * contents that steer approvals are left out. Questions of a model service and their answers are kept
 * for it, and stand like calls and results. Pure, and of one log the earlier views are prefixes of the
 * later ones. Messages that need no change are handed on as the same objects.
 */
export function modelView(log: readonly Message[]): readonly Message[] {
  const results = firstResults(log);
  const hosted = log.some(asksHosted) ? firstAnswers(log) : noAnswers;
  const batches = new Map<number, Message[]>();
  log.forEach((message, at) => {
    if (message.role !== "assistant") return;
    const calls = callsOf(message);
    const questions = hostedRequestIds(message);
    if (calls.length === 0 && questions.length === 0) return;
    const answers = calls.map((call) => results.get(call.callId));
    const decisions = questions.map((requestId) => hosted.get(requestId));
    if (!allAfter(answers, at) || !allAfter(decisions, at)) return;
    const place = Math.max(...answers.map(placeOf), ...decisions.map(placeOf));
    const here = batches.get(place) ?? [];
    here.push(withoutControls(message));
    if (answers.length > 0) here.push(resultMessage(message, answers));
    if (decisions.length > 0) here.push(decisionMessage(message, decisions));
    batches.set(place, here);
  });
  const view: Message[] = [];
  log.forEach((message, at) => {
    const here = batches.get(at);
    if (here) view.push(...here);
    if (message.role === "tool" || callsOf(message).length > 0 || asksHosted(message)) return;
    const rest = withoutControls(message);
    if (rest.contents.length > 0) view.push(rest);
  });
  return view;
}

function placeOf({ at }: { readonly at: number }): number {
  return at;
}

function allAfter<Placed extends { readonly at: number }>(
  answers: readonly (Placed | undefined)[],
  at: number,
): answers is readonly Placed[] {
  return answers.every((answer) => answer !== undefined && answer.at > at);
}

interface PlacedDecision {
  readonly at: number;
  readonly message: Message;
  readonly content: FunctionApprovalResponseContent;
}

const noAnswers: ReadonlyMap<string, PlacedDecision> = new Map();

function firstAnswers(log: readonly Message[]): ReadonlyMap<string, PlacedDecision> {
  const placed = new Map<string, PlacedDecision>();
  log.forEach((message, at) => {
    for (const content of answersOf(message)) {
      if (!placed.has(content.requestId)) placed.set(content.requestId, { at, message, content });
    }
  });
  return placed;
}

/** Everything about a log that breaks the rule "one result for each call, and after it". */
export function checkHistory(log: readonly Message[]): readonly HistoryProblem[] {
  const problems: HistoryProblem[] = [];
  const calls = new Map<string, number>();
  const answered = new Set<string>();
  const report = (
    code: HistoryProblem["code"],
    callId: string,
    at: Message,
    text: string,
  ): void => {
    problems.push({ code, callId, messageId: at.id, message: text });
  };
  log.forEach((message, at) => {
    for (const { callId } of callsOf(message)) {
      if (calls.has(callId))
        report("duplicate_call", callId, message, `Two calls have the id "${callId}".`);
      else calls.set(callId, at);
    }
  });
  log.forEach((message, at) => {
    for (const content of message.contents) {
      if (content.type !== "function_result") continue;
      const { callId } = content;
      const calledAt = calls.get(callId);
      if (calledAt === undefined) {
        report("orphan_result", callId, message, `No call has the id "${callId}" of this result.`);
      } else if (calledAt >= at) {
        report(
          "early_result",
          callId,
          message,
          `The result for "${callId}" stands before its call.`,
        );
      } else if (answered.size === answered.add(callId).size) {
        report("duplicate_result", callId, message, `The call "${callId}" has two results.`);
      }
    }
  });
  return problems;
}

/** The calls of a log that have no result yet. */
export function openCalls(log: readonly Message[]): readonly FunctionCallContent[] {
  const results = firstResults(log);
  return log.flatMap((message) => callsOf(message).filter((call) => !results.has(call.callId)));
}

function firstResults(log: readonly Message[]): Map<string, PlacedResult> {
  const results = new Map<string, PlacedResult>();
  const called = new Set<string>();
  log.forEach((message, at) => {
    for (const content of message.contents) {
      if (
        content.type !== "function_result" ||
        results.has(content.callId) ||
        !called.has(content.callId)
      )
        continue;
      results.set(content.callId, { at, message, content });
    }
    for (const { callId } of callsOf(message)) called.add(callId);
  });
  return results;
}

/** The message that answers a batch: the one in the log where that says it all, else a joined one. */
function resultMessage(batch: Message, answers: readonly PlacedResult[]): Message {
  const last = answers.reduce((a, b) => (b.at >= a.at ? b : a)).message;
  const same =
    last.role === "tool" &&
    last.contents.length === answers.length &&
    answers.every((answer, index) => answer.content === last.contents[index]);
  if (same) return last;
  const known = joined.get(batch);
  if (
    known?.contents.length === answers.length &&
    answers.every((answer, index) => answer.content === known.contents[index])
  ) {
    return known;
  }
  const message: Message = {
    // Its own: one message in the log may answer several batches.
    id: `${batch.id}_results`,
    role: "tool",
    contents: answers.map((answer) => answer.content),
    createdAt: last.createdAt,
  };
  joined.set(batch, message);
  return message;
}

/** The answers to a service's questions, for the service. */
function decisionMessage(asked: Message, decisions: readonly PlacedDecision[]): Message {
  const contents = decisions.map((decision) => decision.content);
  const known = decided.get(asked);
  if (known && contents.every((content, index) => content === known.contents[index])) return known;
  const { createdAt } = decisions.reduce((a, b) => (b.at >= a.at ? b : a)).message;
  const message: Message = { id: `${asked.id}_decisions`, role: "user", contents, createdAt };
  decided.set(asked, message);
  return message;
}

/** A message without results and without what steers approvals here. */
function withoutControls(message: Message): Message {
  const { role, contents } = message;
  let leaving = false;
  for (const content of contents) leaving ||= leaves(content, role);
  if (!leaving) return message;
  const known = stripped.get(message);
  if (known) return known;
  const rest = { ...message, contents: contents.filter((content) => !leaves(content, role)) };
  stripped.set(message, rest);
  return rest;
}

function leaves(content: Content, role: Message["role"]): boolean {
  switch (content.type) {
    case "function_result":
    case "function_approval_response":
    case "paused_call":
      return true;
    case "function_approval_request":
      return role !== "assistant" || !isHosted(content);
    case "function_call":
      // Only a model calls tools: a call in anybody else's message is not handed on.
      return role !== "assistant";
    default:
      return false;
  }
}

/** Messages never change, so what is derived from one holds as long as it lives. */
const joined = new WeakMap<Message, Message>();
const decided = new WeakMap<Message, Message>();
const stripped = new WeakMap<Message, Message>();
