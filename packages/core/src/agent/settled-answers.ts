import type { Content } from "../messages/content.js";
import type { Message } from "../messages/message.js";
import { answersIn, answersOf, groupsOf, openRequests } from "../messages/requests.js";
import { AgentSession } from "../session/agent-session.js";

const noAnswers: ReadonlySet<string> = new Set();

/**
 * What a session keeps of its input. An answer that was not looked at, because a handler ended the
 * run before, or whose batch is all answered and still has not run, because the run broke off: such an
 * answer is not kept, and its request waits as before.
 */
export function withSettledAnswers(
  session: AgentSession,
  fresh: readonly Message[],
  added: readonly Message[],
  accepted: ReadonlySet<string> = noAnswers,
): readonly Message[] {
  if (!fresh.some((message) => answersOf(message).length > 0)) return fresh;
  const log = [...session.messages, ...fresh, ...added];
  const answers = answersIn(log);
  const waiting = new Set<string>();
  for (const group of groupsOf(openRequests(log, AgentSession.requestsOf(session)), log)) {
    const ids = group.map((request) => request.requestId);
    if (ids.every((id) => answers.has(id))) for (const id of ids) waiting.add(id);
  }
  const keep = (content: Content): boolean =>
    content.type !== "function_approval_response" ||
    (accepted.has(content.requestId) && !waiting.has(content.requestId));
  return fresh.flatMap((message): readonly Message[] => {
    const contents = message.contents.filter(keep);
    if (contents.length === message.contents.length) return [message];
    return contents.length === 0 ? [] : [{ ...message, contents }];
  });
}
