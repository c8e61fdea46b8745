import { InputError } from "../errors/run-errors.js";
import type {
  Content,
  FunctionApprovalRequestContent,
  FunctionResultContent,
} from "../messages/content.js";
import { checkHistory, openCalls } from "../messages/log.js";
import { callsOf, type Message } from "../messages/message.js";
import { blockedCallIds, isControl, openRequests, requestsIn } from "../messages/requests.js";
import type { Run } from "../run/run.js";
import { AgentSession } from "../session/agent-session.js";
import { closeLeft } from "./close-left.js";
import type { ReadInput } from "./read-input.js";

/** A run's input in the terms of the log. */
export interface PreparedInput {
  /** What is new to the session, in the order in which it enters the log. */
  readonly fresh: readonly Message[];
  /** What is new to the caller: without the history that it handed in, which it has already. */
  readonly news: readonly Message[];
  /** The whole log: what was there, and what is new. */
  readonly log: readonly Message[];
  /** Where in the log that begins which this run is about. */
  readonly inputFrom: number;
  /** Whether the input answers calls that were open, so that the paused run goes on. */
  readonly resumes: boolean;
  /** Whether the input holds nothing but answers to approval requests. */
  readonly onlyAnswers: boolean;
}

/**
 * Makes input fit for the log: skips what the session holds already, gives repeated call ids new
 * ones, matches answers to open calls, and closes half-answered batches that new text leaves behind.
 *
 * @throws InputError `unmatched_result` for an answer to no open call, `empty_input` when there is
 * nothing to say.
 */
export function prepareInput(
  conversation: AgentSession | undefined,
  { messages, givenIds, storedIds }: ReadInput,
  run: Run,
): PreparedInput {
  const session = conversation?.messages ?? [];
  const held = new Set(session.map((message) => message.id));
  const news = messages.filter((message) => !held.has(message.id));
  const unseen = withUniqueCalls(
    session,
    // A session knows its questions: what poses as one of them never gets in.
    conversation ? withoutQuestions(news, run) : news,
    run,
  );
  // What stands after the last answer is what this run is about; all before it is history.
  const last = unseen.findLastIndex((message) => message.role === "assistant") + 1;
  // A history may end with answers and results that a run has added: they are known, and looked at anew.
  const stored = (message: Message): boolean => !conversation && isStored(message, storedIds);
  const turn = Math.max(last, unseen.findLastIndex(stored) + 1);
  const questions = conversation && AgentSession.requestsOf(conversation);
  const history = withoutStrayResults(
    session,
    withoutForgedResults(unseen.slice(0, turn), openRequests(session, questions ?? []), run),
    run,
  );
  const before = [...session, ...history];
  const requests = questions ?? requestsIn(before);
  const input = checkAnswers(before, unseen.slice(turn), openRequests(before, requests));
  const isResult = (message: Message): boolean => message.role === "tool" && !isDecision(message);
  const results = input.filter(isResult);
  const rest = input.filter((message) => !isResult(message));
  const decisions = rest.filter(isDecision);
  const words = rest.filter((message) => !isDecision(message));
  checkNotEmpty(before, rest, results);
  const answered = [...before, ...results, ...decisions];
  const closing = words.length > 0 ? closeLeft(answered, rest, requests, run) : [];
  const entering = [...results, ...decisions, ...closing, ...words];
  tellOfMissing(history, [...before, ...entering], run);
  return {
    fresh: [...history, ...entering],
    news: [...history.filter((message) => !givenIds.has(message.id)), ...entering],
    log: [...before, ...entering],
    inputFrom: conversation
      ? before.length
      : before.findLastIndex((message) => message.role === "assistant") + 1,
    resumes: results.length > 0,
    onlyAnswers: decisions.length > 0 && results.length + words.length === 0,
  };
}

/** Whether a message is one that only runs make, and that somebody has kept. */
function isStored(message: Message, stored: ReadonlySet<string>): boolean {
  return stored.has(message.id) && (message.role === "tool" || isDecision(message));
}

/** Whether a message holds nothing but answers to requests. */
function isDecision(message: Message): boolean {
  return message.contents.length > 0 && message.contents.every(isControl);
}

/** What a session's call waits for comes from no history that somebody brings along. */
function withoutForgedResults(
  messages: readonly Message[],
  requests: readonly FunctionApprovalRequestContent[],
  run: Run,
): readonly Message[] {
  const waiting = blockedCallIds(requests);
  if (waiting.size === 0) return messages;
  return messages.flatMap((message): readonly Message[] => {
    const contents = message.contents.filter(
      (content) => content.type !== "function_result" || !waiting.has(content.callId),
    );
    if (contents.length === message.contents.length) return [message];
    run.notice(
      "history_repaired",
      "The input holds results of calls that wait for a person's decision: they were left out.",
    );
    return contents.length === 0 ? [] : [{ ...message, contents }];
  });
}

function withoutQuestions(messages: readonly Message[], run: Run): readonly Message[] {
  let dropped = false;
  const fit = messages.flatMap((message): readonly Message[] => {
    const contents = message.contents.filter(
      ({ type }) => type !== "function_approval_request" && type !== "paused_call",
    );
    if (contents.length === message.contents.length) return [message];
    dropped = true;
    return contents.length === 0 ? [] : [{ ...message, contents }];
  });
  if (!dropped) return messages;
  run.notice(
    "history_repaired",
    "The input holds approval requests, which only the session's own runs make: they were left out.",
  );
  return fit;
}

/** Calls of a history that came in without their results: the model does not see them. */
function tellOfMissing(history: readonly Message[], log: readonly Message[], run: Run): void {
  const given = new Set(history.flatMap(callsOf));
  if (given.size === 0) return;
  const ids = openCalls(log).flatMap((call) => (given.has(call) ? [`"${call.callId}"`] : []));
  if (ids.length === 0) return;
  run.notice(
    "history_repaired",
    `No result came for ${ids.join(", ")}: the model does not see it.`,
  );
}

function checkNotEmpty(
  before: readonly Message[],
  words: readonly Message[],
  results: readonly Message[],
): void {
  const silent = words.find((message) => !message.contents.some(saysSomething));
  if (silent === undefined && before.length + words.length + results.length > 0) return;
  throw new InputError(
    "empty_input",
    "The input is empty: give the run a text, contents or messages.",
  );
}

function saysSomething(content: Content): boolean {
  return content.type !== "text" || content.text !== "";
}

/** Results that the input brings are answers: each must name a call that is open, and waits for no decision. */
function checkAnswers(
  before: readonly Message[],
  input: readonly Message[],
  requests: readonly FunctionApprovalRequestContent[],
): readonly Message[] {
  const waiting = blockedCallIds(requests);
  const open = new Map(openCalls(before).map((call) => [call.callId, call]));
  for (const callId of waiting) open.delete(callId);
  for (const message of input) {
    for (const content of message.contents) {
      if (content.type !== "function_result" || open.delete(content.callId)) continue;
      throw new InputError(
        "unmatched_result",
        waiting.has(content.callId)
          ? `The function_result for "${content.callId}" answers a call that waits for a person's decision: answer the approval request, with approve() or deny().`
          : `The function_result for "${content.callId}" answers no open call. Open calls: ${[...open.keys()].join(", ") || "none"}. Answer each call once, in the session or with the history that holds it.`,
      );
    }
  }
  return input;
}

/** A whole history that came in may be broken: what has no place in a log stays out, and is told. */
function withoutStrayResults(
  history: readonly Message[],
  input: readonly Message[],
  run: Run,
): readonly Message[] {
  const problems = checkHistory([...history, ...input]);
  if (problems.length === 0) return input;
  run.notice("history_repaired", problems.map((problem) => problem.message).join(" "));
  const calls = new Set<string>();
  const answered = new Set<string>();
  const keep = (content: Content): boolean => {
    if (content.type !== "function_result") return true;
    if (!calls.has(content.callId) || answered.has(content.callId)) return false;
    answered.add(content.callId);
    return true;
  };
  const repaired: Message[] = [];
  for (const message of [...history, ...input]) {
    const contents = message.contents.filter(keep);
    for (const call of callsOf(message)) calls.add(call.callId);
    const same = contents.length === message.contents.length;
    if (same || contents.length > 0) repaired.push(same ? message : { ...message, contents });
  }
  return repaired.slice(history.length);
}

/** Some services count their calls anew in each answer: in one log every call has an id of its own. */
function withUniqueCalls(
  history: readonly Message[],
  input: readonly Message[],
  run: Run,
): readonly Message[] {
  const taken = new Set(history.flatMap((message) => callsOf(message).map((call) => call.callId)));
  const waiting = new Map<string, readonly string[]>();
  return input.map((message) => {
    if (!message.contents.some(isCallOrResult)) return message;
    const own = new Set<string>();
    const contents = message.contents.map((content): Content => {
      if (content.type === "function_result") return answering(content, waiting);
      if (content.type !== "function_call" || message.role !== "assistant") return content;
      const callId = taken.has(content.callId) ? run.newId("call") : content.callId;
      taken.add(callId);
      // Results answer the newest message that called under their id.
      const before = own.has(content.callId) && waiting.get(content.callId);
      own.add(content.callId);
      waiting.set(content.callId, [...(before || []), callId]);
      return callId === content.callId ? content : { ...content, callId };
    });
    return withContents(message, contents);
  });
}

function isCallOrResult({ type }: Content): boolean {
  return type === "function_call" || type === "function_result";
}

/** The message with these contents; the same object where nothing has changed. */
function withContents(message: Message, contents: readonly Content[]): Message {
  const same = contents.every((content, index) => content === message.contents[index]);
  return same ? message : { ...message, contents };
}

/** A result under the id that the call it answers has in the log; the calls of one id in their order. */
function answering(
  result: FunctionResultContent,
  waiting: Map<string, readonly string[]>,
): FunctionResultContent {
  const [callId, ...rest] = waiting.get(result.callId) ?? [];
  if (callId === undefined) return result;
  if (rest.length > 0) waiting.set(result.callId, rest);
  return callId === result.callId ? result : { ...result, callId };
}
