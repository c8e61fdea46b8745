import { resultContent } from "../invocation/result-content.js";
import type { FunctionApprovalRequestContent } from "../messages/content.js";
import { openCalls } from "../messages/log.js";
import { callsOf, type Message } from "../messages/message.js";
import {
  answersIn,
  groupsOf,
  heldCallIds,
  isExpired,
  openRequests,
  requestsIn,
  waitingCallId,
} from "../messages/requests.js";
import type { Run } from "../run/run.js";
import { errorResult } from "../tools/tool-result.js";

/**
 * Closes what new text leaves behind: batches of which something has run and something waits, and those
 * whose requests have expired. What has been decided and has not run yet is no part of that, nor is a
 * batch of which nothing has run: it waits on, unseen.
 *
 * @param log What was there, and the results and answers that come with the text.
 * @param input The text and the answers; what is answered too late is an error of its own.
 */
export function closeLeft(
  log: readonly Message[],
  input: readonly Message[],
  requests: readonly FunctionApprovalRequestContent[],
  run: Run,
): readonly Message[] {
  const waiting = new Set(openCalls(log).map((call) => call.callId));
  if (waiting.size === 0) return [];
  const { expired, decided } = standOf(log, input, requests, run.now());
  const started = startedIn(log);
  const contents = log.flatMap((message) => {
    const calls = callsOf(message).map((call) => call.callId);
    const open = calls.filter((id) => waiting.has(id));
    const over = open.some((id) => expired.has(id));
    const ran = open.length < calls.length || open.some((id) => started.has(id));
    if (!over && !ran) return [];
    return open
      .filter((id) => over || !decided.has(id))
      .map((id) => resultContent(id, whyClosed(started.has(id), over)));
  });
  if (contents.length === 0) return [];
  return [{ id: run.newId("message"), role: "tool", contents, createdAt: run.now() }];
}

/** The calls whose pause is over, and those about which everybody has answered in time. */
function standOf(
  log: readonly Message[],
  input: readonly Message[],
  requests: readonly FunctionApprovalRequestContent[],
  now: number,
) {
  const expired = new Set<string>();
  const decided = new Set<string>();
  const news = answersIn(input);
  const answers = answersIn([...log, ...input]);
  for (const group of groupsOf(openRequests(log, requests), requestsIn(log))) {
    const late = group.some((request) => news.has(request.requestId));
    if (!late && isExpired(group, now)) for (const id of heldCallIds(group)) expired.add(id);
    for (const id of group.map(waitingCallId)) {
      const own = group.filter((request) => waitingCallId(request) === id);
      if (own.every(({ requestId }) => answers.has(requestId))) decided.add(id);
    }
  }
  return { expired, decided };
}

/** Calls that have started, and ask from inside. */
function startedIn(log: readonly Message[]): ReadonlySet<string> {
  return new Set(
    log.flatMap(({ contents }) =>
      contents.flatMap((content) => (content.type === "paused_call" ? [content.callId] : [])),
    ),
  );
}

function whyClosed(started: boolean, expired: boolean) {
  if (started) {
    const message =
      "not finished: what it asked was not answered. What it has done until then stays done.";
    return errorResult({ code: "interrupted", message });
  }
  return expired
    ? errorResult({ code: "approval_expired", message: "not run: nobody has approved it in time." })
    : errorResult({
        code: "not_answered",
        message: "not answered, not run.",
        retryable: true,
      });
}
