import type { Content } from "../messages/content.js";
import { callsOf, type Message } from "../messages/message.js";
import { answersIn, answersOf, groupsOf, openRequests, requestsIn } from "../messages/requests.js";
import type { Run } from "../run/run.js";
import { AgentSession } from "../session/agent-session.js";
import type { AgentResponse } from "./agent-response.js";
import type { PreparedInput } from "./prepare-run.js";

/** A session grows by what went into the agent onion and what came out of it. */
export function keepTurn(
  session: AgentSession,
  run: Run,
  prepared: PreparedInput,
  response: AgentResponse,
): void {
  const paused = response.outcome === "paused" ? run.budget.spent : undefined;
  const added = [...closing(session, run, response.messages), ...response.messages];
  const fresh = withSettledAnswers(session, prepared.fresh, added, run.acceptedAnswers);
  AgentSession.commit(session, { fresh, added, paused });
}

/** What was done stays done: a turn that broke off after the model or a tool did something is kept. */
export function keepInterrupted(session: AgentSession, run: Run, prepared: PreparedInput): void {
  const added = run.transcript;
  // A turn in which nothing happened leaves nothing: the caller can simply try again.
  if (added.length === 0 && !run.gate.external) return;
  const fresh = withSettledAnswers(session, prepared.fresh, added, run.acceptedAnswers);
  AgentSession.commit(session, { fresh, added });
}

/**
 * What was approved has run, also where a handler returns something else than what came of it: then the
 * session keeps that it has run, and nothing of its result.
 */
function closing(session: AgentSession, run: Run, added: readonly Message[]): readonly Message[] {
  const { settlement } = run;
  if (settlement === undefined) return [];
  const told = new Set(
    added.flatMap(({ contents }) =>
      contents.flatMap((content) => ("callId" in content ? [content.callId] : [])),
    ),
  );
  const calls = new Set(session.messages.flatMap(callsOf).map((call) => call.callId));
  const missing = [...settlement.outcomes.keys()].filter((id) => !told.has(id) && calls.has(id));
  if (missing.length === 0) return [];
  const contents = missing.map(withheld);
  return [{ id: run.newId("message"), role: "tool", contents, createdAt: run.now() }];
}

function withheld(callId: string): Content {
  const message = "The call has been seen to; what came of it was withheld.";
  return {
    type: "function_result",
    callId,
    contents: [{ type: "text", text: `Error: ${message}` }],
    isError: true,
    error: { code: "withheld", retryable: false, message },
  };
}

const noAnswers: ReadonlySet<string> = new Set();

/**
 * What a session keeps of its input. An answer that was not looked at, because a handler ended the
 * run before, or whose batch is all answered and still has not run, because the run broke off: such an
 * answer is not kept, and its request waits as before.
 */
function withSettledAnswers(
  session: AgentSession,
  fresh: readonly Message[],
  added: readonly Message[],
  accepted: ReadonlySet<string> = noAnswers,
): readonly Message[] {
  if (!fresh.some((message) => answersOf(message).length > 0)) return fresh;
  const log = [...session.messages, ...fresh, ...added];
  const requests = [...AgentSession.requestsOf(session), ...requestsIn(added)];
  const answers = answersIn(log);
  const waiting = new Set<string>();
  for (const group of groupsOf(openRequests(log, requests), requestsIn(log))) {
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
