import { ApprovalError } from "../errors/run-errors.js";
import type {
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  FunctionCallContent,
  PausedCallContent,
} from "../messages/content.js";
import { callsOf, type Message } from "../messages/message.js";
import {
  answersIn,
  answersOf,
  groupsOf,
  heldCallIds,
  isExpired,
  isHosted,
  isStage,
  openRequests,
  requestsIn,
  waitingCallId,
} from "../messages/requests.js";
import type { ApprovalKey } from "./approval-keys.js";
import { type SignedPause, verifiesPause } from "./sign-batch.js";

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
  /** Whether something of it is answered by this input. */
  readonly touched: boolean;
}

/** What the answers in a log come to. */
export interface ReadAnswers {
  /** The batches that wait, in the order of the log. */
  readonly batches: readonly HeldBatch[];
  /** The answers that this input brings to requests made here. */
  readonly news: readonly { readonly request: Request; readonly answer: Answer }[];
  /** The ids of all requests that this input answers, those of the model service included. */
  readonly accepted: readonly string[];
}

/**
 * Reads the answers of a log and holds each against the request it names.
 *
 * @param from Where in it the input begins.
 * @param own The requests that count, where a session knows them; else those in the log do.
 * @throws ApprovalError `unknown_request`, `request_closed` or `already_answered`.
 */
export function readAnswers(
  log: readonly Message[],
  from: number,
  own: readonly Request[] | undefined,
  now: number,
): ReadAnswers {
  const requests = own ?? requestsIn(log);
  const recorded = answersIn(log.slice(0, from));
  const local = openRequests(
    log,
    requests.filter((request) => !isHosted(request)),
  );
  const hosted = requests.filter(
    (request) => isHosted(request) && !recorded.has(request.requestId),
  );
  const open = new Map([...local, ...hosted].map((request) => [request.requestId, request]));
  const groups = groupsOf(local, log);
  const news = new Map<string, Answer>();
  const settled = settledLater(log, from);
  for (const answer of log.slice(from).flatMap(answersOf)) {
    const { requestId } = answer;
    const request = open.get(requestId);
    if (settled.has(answer)) continue;
    if (request === undefined) throw unanswerable(requestId, log);
    const before = recorded.has(requestId) && !isStuck(requestId, groups, recorded);
    if (before || news.has(requestId)) throw alreadyAnswered(request);
    const group = groups.find((each) => each.includes(request)) ?? [request];
    if (isExpired(group, now)) throw expired(requestId);
    news.set(requestId, answer);
  }
  const answers = new Map([...recorded, ...news]);
  return {
    batches: groups.map((group) => batchOf(log, group, answers, news, from)),
    news: local.flatMap((request) => {
      const answer = news.get(request.requestId);
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

/** Whether an input has to do with a batch: it answers a request of it, or a call. */
function touches(
  calls: readonly FunctionCallContent[],
  requests: readonly Request[],
  news: ReadonlyMap<string, Answer>,
  input: readonly Message[],
): boolean {
  if (requests.some((request) => news.has(request.requestId))) return true;
  const ids = new Set(calls.map((call) => call.callId));
  return input.some(({ contents }) =>
    contents.some((content) => content.type === "function_result" && ids.has(content.callId)),
  );
}

/**
 * Whether a batch stands in the log as it was signed when it paused.
 *
 * @throws ApprovalError `not_genuine`.
 */
export async function verifyBatch(
  batch: HeldBatch,
  log: readonly Message[],
  keys: readonly ApprovalKey[],
): Promise<void> {
  const all = requestsIn(log);
  for (const signature of new Set(batch.requests.map((request) => request.signature))) {
    // A request that was left out would be a call that nobody has to be asked about.
    const requests = all.filter((request) => request.signature === signature);
    const pause = { requests, ...pausedWith(log, requests) };
    if (typeof signature === "string" && (await verifiesPause(keys, pause, signature))) continue;
    const [request] = requests;
    throw new ApprovalError(
      "not_genuine",
      `The signature of the approval request "${request?.requestId ?? ""}" does not fit: it was not made with one of the keys of \`approvalSecret\`, or it, another request of its pause, or a call beside it was changed or left out. Nothing ran. After a change of keys keep the old one in the list until its requests have expired.`,
      request?.requestId,
    );
  }
}

/** What stands in a log beside the requests of one pause. */
function pausedWith(
  log: readonly Message[],
  requests: readonly Request[],
): Pick<SignedPause, "calls" | "paused"> {
  const held = heldCallIds(requests);
  const ids = new Set(requests.map((request) => request.requestId));
  const calls: FunctionCallContent[] = [];
  const paused: PausedCallContent[] = [];
  for (const message of log) {
    const made = callsOf(message);
    if (made.some((call) => held.has(call.callId))) calls.push(...made);
    for (const content of message.contents) {
      if (isStage(content) && content.requestIds.some((id) => ids.has(id))) paused.push(content);
    }
  }
  return { calls, paused };
}

/** Answered as a whole, and yet never settled: its run was ended before. It may be answered again. */
function isStuck(
  requestId: string,
  groups: readonly (readonly Request[])[],
  recorded: ReadonlyMap<string, Answer>,
): boolean {
  const group = groups.find((each) => each.some((request) => request.requestId === requestId));
  return group?.every((request) => recorded.has(request.requestId)) ?? false;
}

function batchOf(
  log: readonly Message[],
  requests: readonly Request[],
  answers: ReadonlyMap<string, Answer>,
  news: ReadonlyMap<string, Answer>,
  from: number,
): HeldBatch {
  const held = heldCallIds(requests);
  const results = new Set<string>();
  const calls: FunctionCallContent[] = [];
  const paused = new Map<string, PausedCallContent>();
  for (const message of log) {
    const made = callsOf(message);
    if (made.some((call) => held.has(call.callId))) calls.push(...made);
    for (const content of message.contents) {
      if (content.type === "function_result") results.add(content.callId);
      else if (isStage(content) && held.has(content.callId)) paused.set(content.callId, content);
    }
  }
  const own = requests.flatMap(({ requestId }): [string, Answer][] => {
    const answer = answers.get(requestId);
    return answer ? [[requestId, answer]] : [];
  });
  return {
    requests,
    answers: new Map(own),
    calls,
    open: calls.filter((call) => !results.has(call.callId)),
    held,
    paused,
    touched: touches(calls, requests, news, log.slice(from)),
  };
}

function unanswerable(requestId: string, log: readonly Message[]): ApprovalError {
  if (requestsIn(log).some((request) => request.requestId === requestId)) {
    return new ApprovalError(
      "request_closed",
      `The approval request "${requestId}" is closed: its call has its result already, and is not run again.`,
      requestId,
    );
  }
  return new ApprovalError(
    "unknown_request",
    `There is no approval request "${requestId}" here. Answer it in the session that asked, or together with the whole history that holds it.`,
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
