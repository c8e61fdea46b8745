import { ApprovalError } from "../errors/run-errors.js";
import type {
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  FunctionCallContent,
  PausedCallContent,
} from "../messages/content.js";
import type { Message } from "../messages/message.js";
import {
  answersIn,
  answersOf,
  groupsOf,
  heldCallIds,
  isExpired,
  isHosted,
  openRequests,
  requestsIn,
  waitingCallId,
} from "../messages/requests.js";
import { callsBeside, type WaitingLog } from "./waiting-log.js";

type Request = FunctionApprovalRequestContent;
type Answer = FunctionApprovalResponseContent;

/** Calls that wait together for decisions. */
export interface HeldBatch {
  /** What is asked about them. */
  readonly requests: readonly Request[];
  /** By the id of the request. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** All calls of the messages in which they stand, in order. */
  readonly calls: readonly FunctionCallContent[];
  /** Those of them that have no result. */
  readonly open: readonly FunctionCallContent[];
  /** Ids of the calls that may run once all is answered; the others were refused. */
  readonly held: ReadonlySet<string>;
  /** What the calls that had started were at. */
  readonly paused: ReadonlyMap<string, PausedCallContent>;
}

/** What the answers in a log come to. */
export interface ReadAnswers {
  /** The batches that this input has to do with, in the order of the log. */
  readonly batches: readonly HeldBatch[];
  /** The answers to requests made here that have not been looked at yet. */
  readonly news: readonly { readonly request: Request; readonly answer: Answer }[];
  /** The ids of all requests that this input answers, those of the model service included. */
  readonly accepted: readonly string[];
}

/** Whose requests count. */
export interface Source {
  /** Those of a session, or those in the log that can be trusted. */
  readonly requests: readonly Request[];
  /** All of them, whose lists say which calls wait together. */
  readonly pauses: readonly Request[];
  /** Whether answers that were recorded before have been looked at then. */
  readonly checked: boolean;
}

/**
 * Reads the answers of a log and holds each against the request it names.
 *
 * @param from Where in it the input begins.
 * @throws ApprovalError `unknown_request`, `not_genuine`, `request_closed`, `request_expired` or
 * `already_answered`.
 */
export function readAnswers(
  log: readonly Message[],
  from: number,
  { requests, pauses, checked }: Source,
  waiting: WaitingLog,
  now: number,
): ReadAnswers {
  const recorded = answersIn(log.slice(0, from));
  const local = openRequests(
    log,
    requests.filter((request) => !isHosted(request)),
  );
  const hosted = requests.filter(
    (request) => isHosted(request) && !recorded.has(request.requestId),
  );
  const open = new Map([...local, ...hosted].map((request) => [request.requestId, request]));
  const groups = groupsOf(local, pauses);
  const groupOf = new Map(groups.flatMap((group) => group.map((each) => [each, group] as const)));
  const news = new Map<string, Answer>();
  const settled = settledLater(log, from);
  for (const answer of log.slice(from).flatMap(answersOf)) {
    const { requestId } = answer;
    if (settled.has(answer)) continue;
    const request = open.get(requestId);
    if (request === undefined) throw unanswerable(requestId, log, requests);
    const group = groupOf.get(request) ?? [];
    const before = recorded.has(requestId) && !isStuck(group, recorded);
    if (before || news.has(requestId)) throw alreadyAnswered(request);
    if (isExpired(group, now)) throw expired(requestId);
    if (!isHosted(request) && !waiting.siblings.has(waitingCallId(request))) {
      throw unknown(requestId);
    }
    news.set(requestId, answer);
  }
  const answers = new Map([...recorded, ...news]);
  const touched = groups.filter((group) => isTouched(group, news, waiting));
  return {
    batches: touched.map((group) => batchOf(group, answers, waiting)),
    news: touched.flat().flatMap((request) => {
      const answer = checked ? news.get(request.requestId) : answers.get(request.requestId);
      return answer ? [{ request, answer }] : [];
    }),
    accepted: [...news.keys()],
  };
}

/**
 * The answers of an input whose calls have their results after them: a resume that broke off, in
 * a history that travels. Nothing runs for them.
 */
function settledLater(log: readonly Message[], from: number): ReadonlySet<Answer> {
  const last = log.slice(from);
  const settled = new Set<Answer>();
  const results = new Map<string, number>();
  last.forEach(({ contents }, at) => {
    for (const content of contents) {
      if (content.type === "function_result") results.set(content.callId, at);
    }
  });
  if (results.size === 0) return settled;
  const calls = new Map(requestsIn(log).map((each) => [each.requestId, waitingCallId(each)]));
  last.forEach((message, at) => {
    for (const answer of answersOf(message)) {
      const place = results.get(calls.get(answer.requestId) ?? "");
      if (place !== undefined && place > at) settled.add(answer);
    }
  });
  return settled;
}

/** Whether every request of a batch is answered. */
export function isDecided({ requests, answers }: HeldBatch): boolean {
  return requests.every((request) => answers.has(request.requestId));
}

/** Answered as a whole, and yet never settled: its run was ended before. It may be answered again. */
function isStuck(group: readonly Request[], recorded: ReadonlyMap<string, Answer>): boolean {
  return group.length > 0 && group.every((request) => recorded.has(request.requestId));
}

/** Whether an input has to do with some requests: it answers one of them, or a call that waits with them. */
function isTouched(
  requests: readonly Request[],
  news: ReadonlyMap<string, Answer>,
  waiting: WaitingLog,
): boolean {
  if (requests.some((request) => news.has(request.requestId))) return true;
  if (waiting.closedNow.size === 0) return false;
  const calls = callsBeside(heldCallIds(requests), waiting);
  return calls.some(({ callId }) => waiting.closedNow.has(callId));
}

function batchOf(
  requests: readonly Request[],
  answers: ReadonlyMap<string, Answer>,
  waiting: WaitingLog,
): HeldBatch {
  const held = heldCallIds(requests);
  const calls = callsBeside(held, waiting);
  const paused = calls.flatMap(({ callId }): [string, PausedCallContent][] => {
    const stage = held.has(callId) ? waiting.stages.get(callId) : undefined;
    return stage ? [[callId, stage]] : [];
  });
  const own = requests.flatMap(({ requestId }): [string, Answer][] => {
    const answer = answers.get(requestId);
    return answer ? [[requestId, answer]] : [];
  });
  return {
    requests,
    answers: new Map(own),
    calls,
    open: calls.filter((call) => !waiting.closed.has(call.callId)),
    held,
    paused: new Map(paused),
  };
}

function unanswerable(
  requestId: string,
  log: readonly Message[],
  trusted: readonly Request[],
): ApprovalError {
  const inLog = requestsIn(log);
  const request = inLog.find((each) => each.requestId === requestId);
  if (request === undefined) return unknown(requestId);
  const isOpen = openRequests(log, inLog).includes(request);
  if (isOpen && !trusted.some((each) => each.requestId === requestId)) return notGenuine(requestId);
  return new ApprovalError(
    "request_closed",
    `The approval request "${requestId}" is closed: its call has its result already, or has been asked about anew. Nothing is run for it.`,
    requestId,
  );
}

function unknown(requestId: string): ApprovalError {
  return new ApprovalError(
    "unknown_request",
    `There is no approval request "${requestId}" here, with its call. Answer it in the session that asked, or together with the whole history that holds it.`,
    requestId,
  );
}

function notGenuine(requestId: string): ApprovalError {
  return new ApprovalError(
    "not_genuine",
    `The signature of the approval request "${requestId}" does not fit: it was not made with one of the keys of \`approvalSecret\`, or it, another request of its pause, or a call beside it was changed or left out. Nothing ran. After a change of keys keep the old one in the list until its requests have expired.`,
    requestId,
  );
}

function expired(requestId: string): ApprovalError {
  return new ApprovalError(
    "request_expired",
    `The approval request "${requestId}" has expired: it counts as denied, and nothing that waits with it runs.`,
    requestId,
  );
}

function alreadyAnswered({ requestId }: Request): ApprovalError {
  return new ApprovalError(
    "already_answered",
    `The approval request "${requestId}" has its answer already; the first one counts.`,
    requestId,
  );
}
