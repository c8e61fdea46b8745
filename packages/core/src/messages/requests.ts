import type {
  Content,
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  PausedCallContent,
} from "./content.js";
import { isJsonObject } from "./json.js";
import type { Message } from "./message.js";

type Request = FunctionApprovalRequestContent;
type Answer = FunctionApprovalResponseContent;

/**
 * The questions of a log that nobody has answered yet, in order. What a page shows; it says nothing
 * about who wrote the log.
 */
export function pending(log: readonly Message[]): readonly Request[] {
  const requests = requestsIn(log);
  const open = openRequests(log, requests);
  if (open.length === 0) return open;
  // All answered, and yet not settled by the run that got the answers: it can be answered again.
  const before = answersIn(
    log.slice(
      0,
      log.findLastIndex(({ role }) => role === "assistant"),
    ),
  );
  const stuck = new Set(
    groupsOf(open, requests)
      .filter((group) => group.every((request) => before.has(request.requestId)))
      .flat(),
  );
  const answers = answersIn(log);
  return open.filter((request) => !answers.has(request.requestId) || stuck.has(request));
}

/** Those of some requests that have no answer in a log. */
export function unanswered(
  log: readonly Message[],
  requests: readonly Request[],
): readonly Request[] {
  if (requests.length === 0) return requests;
  const answers = answersIn(log);
  return requests.filter((request) => !answers.has(request.requestId));
}

/** All requests of a log. Only what stands on the agent's side of it counts; the first of an id does. */
export function requestsIn(log: readonly Message[]): readonly Request[] {
  const requests = new Map<string, Request>();
  for (const message of log) {
    if (message.role !== "assistant") continue;
    for (const content of message.contents) {
      if (content.type !== "function_approval_request" || !isRequest(content)) continue;
      if (!requests.has(content.requestId)) requests.set(content.requestId, content);
    }
  }
  return [...requests.values()];
}

/** The answers of a log by the request they name; the first one counts. */
export function answersIn(log: readonly Message[]): ReadonlyMap<string, Answer> {
  const answers = new Map<string, Answer>();
  for (const message of log) {
    for (const answer of answersOf(message)) {
      if (!answers.has(answer.requestId)) answers.set(answer.requestId, answer);
    }
  }
  return answers;
}

/** The answers that a message brings; an agent does not answer itself. */
export function answersOf(message: Message): readonly Answer[] {
  if (message.role === "assistant") return none;
  let answers: Answer[] | undefined;
  for (const content of message.contents) {
    if (content.type !== "function_approval_response") continue;
    answers ??= [];
    answers.push(content);
  }
  return answers ?? none;
}

/**
 * Those of some requests whose calls still wait. Of several about one call the last one counts, and of
 * a sub-agent that went on those of its last pause.
 */
export function openRequests(
  log: readonly Message[],
  requests: readonly Request[],
): readonly Request[] {
  if (requests.length === 0) return requests;
  const closed = new Set<string>();
  const stages = new Map<string, readonly string[]>();
  for (const { contents } of log) {
    for (const content of contents) {
      if (content.type === "function_result") closed.add(content.callId);
      else if (isStage(content)) stages.set(content.callId, content.requestIds);
    }
  }
  const answers = answersIn(log);
  const local = requests.filter((request) => !isHosted(request));
  const last = new Map(local.map((request) => [waitingCallId(request), request.requestId]));
  return requests.filter((request) => {
    const { requestId, path } = request;
    if (isHosted(request)) return !answers.has(requestId);
    const callId = waitingCallId(request);
    if (closed.has(callId)) return false;
    if (path === undefined) return last.get(callId) === requestId;
    return stages.get(callId)?.includes(requestId) === true;
  });
}

/** The call of this log that a request holds up: the request's own, or that of the sub-agent. */
export function waitingCallId({ path, call }: Request): string {
  return path?.[0]?.callId ?? call.callId;
}

/**
 * Local requests by what they hold up: those of one group are settled together.
 *
 * @param pauses All requests whose lists say which calls wait together, closed ones too.
 */
export function groupsOf(
  requests: readonly Request[],
  pauses: readonly Request[],
): readonly (readonly Request[])[] {
  const groupOf = new Map<string, string>();
  if (requests.length === 0) return [];
  for (const { requestId, batch = [] } of pauses) {
    for (const callId of batch) groupOf.set(callId, requestId);
  }
  const groups = new Map<string, Request[]>();
  for (const request of requests) {
    if (isHosted(request)) continue;
    const key = groupOf.get(waitingCallId(request)) ?? request.requestId;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(request);
  }
  return [...groups.values()];
}

/** Whether a group of requests can no longer be answered: its pause is over as a whole. */
export function isExpired(group: readonly Request[], now: number): boolean {
  return group.some(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now);
}

/** The ids of all calls that wait for the answers to some requests. */
export function heldCallIds(requests: readonly Request[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const request of requests) {
    if (isHosted(request)) continue;
    ids.add(waitingCallId(request));
    for (const callId of request.batch ?? []) ids.add(callId);
  }
  return ids;
}

/** Those, and the calls beside that were refused when they were made: none of them is the caller's to answer. */
export function blockedCallIds(requests: readonly Request[]): ReadonlySet<string> {
  const ids = new Set(heldCallIds(requests));
  for (const { refused = [] } of requests) for (const callId of refused) ids.add(callId);
  return ids;
}

/** Whether a message holds a question of the model service about a tool that it runs itself. */
export function asksHosted(message: Message): boolean {
  return message.role === "assistant" && message.contents.some(isHostedRequest);
}

/** The ids of the questions of the model service in a message. */
export function hostedRequestIds(message: Message): readonly string[] {
  if (!asksHosted(message)) return noIds;
  return message.contents.flatMap((content) =>
    content.type === "function_approval_request" && isHostedRequest(content)
      ? [content.requestId]
      : [],
  );
}

function isHostedRequest(content: Content): boolean {
  return content.type === "function_approval_request" && isHosted(content);
}

/** Whether the conversation's own model service asks; one of a sub-agent is answered through its call. */
export function isHosted({ provider, path }: Request): boolean {
  return provider !== undefined && path === undefined;
}

/** Contents that steer approvals, and say nothing to a model. */
export function isControl(content: Content): boolean {
  return (
    content.type === "function_approval_request" ||
    content.type === "function_approval_response" ||
    content.type === "paused_call"
  );
}

/** Whether something is what a call had come to. */
export function isStage(content: Content): content is PausedCallContent {
  return content.type === "paused_call" && Array.isArray(content.requestIds);
}

/** Logs and sessions come in from outside: what has no call cannot be asked about. */
export function isRequest(value: unknown): value is Request {
  if (!isJsonObject(value)) return false;
  const { requestId, call, path, batch, tool, beside, refused } = value;
  return (
    typeof requestId === "string" &&
    hasCallId(call) &&
    (tool === undefined || isJsonObject(tool)) &&
    [batch, refused].every((ids) => ids === undefined || isListOf(ids, isText)) &&
    (beside === undefined || isListOf(beside, hasCallId)) &&
    (path === undefined || isListOf(path, hasCallId))
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function hasCallId(value: unknown): boolean {
  return isJsonObject(value) && typeof value["callId"] === "string";
}

function isListOf(value: unknown, isMember: (member: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isMember);
}

const none: readonly Answer[] = [];
const noIds: readonly string[] = [];
