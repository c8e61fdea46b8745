import { openCalls } from "../messages/log.js";
import { callsOf, type Message } from "../messages/message.js";
import {
  answersIn,
  answersOf,
  hostedRequestIds,
  isControl,
  pending,
} from "../messages/requests.js";
import type { AgentSession } from "../session/agent-session.js";

/**
 * Where in a log that begins which came in now. Where nobody says so, it is what stands after the last
 * answer.
 */
export function inputStart(log: readonly Message[], known: number | undefined): number {
  let start = log.length;
  while (start > (known ?? 0) && log[start - 1]?.role !== "assistant") start--;
  return start;
}

/** Whether an input answers what an earlier run left open: requests, or calls. */
export function answersSomething(log: readonly Message[], from: number): boolean {
  for (let at = from; at < log.length; at++) {
    const message = log[at];
    if (message && (message.role === "tool" || answersOf(message).length > 0)) return true;
  }
  return false;
}

/** Whether nothing is new to the model, and people still have to answer. */
export function waitsForPeople(
  log: readonly Message[],
  session: AgentSession | undefined,
): boolean {
  if (log.at(-1)?.role !== "assistant") return false;
  return (session ? session.pending : pending(log)).length > 0;
}

/**
 * Whether what came in last answers a part of something of which the rest still waits. New text goes on
 * without the questions of a model service.
 */
export function isLeftOpen(log: readonly Message[], from: number): boolean {
  const news = new Set<string>();
  for (const message of log.slice(from)) {
    for (const answer of answersOf(message)) news.add(answer.requestId);
    for (const content of message.contents) {
      if (content.type === "function_result") news.add(content.callId);
    }
  }
  const words = log.slice(from).some(saysSomething);
  const open = new Set(openCalls(log).map((call) => call.callId));
  const answers = answersIn(log);
  return log.some((message) => {
    const calls = callsOf(message).map((call) => call.callId);
    const questions = hostedRequestIds(message);
    if (![...calls, ...questions].some((id) => news.has(id))) return false;
    if (calls.some((id) => open.has(id))) return true;
    return !words && questions.some((id) => !answers.has(id));
  });
}

function saysSomething({ role, contents }: Message): boolean {
  return role !== "tool" && role !== "assistant" && !contents.every(isControl);
}
