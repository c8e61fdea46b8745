import { openCalls } from "../messages/log.js";
import { callsOf, type Message } from "../messages/message.js";
import { answersIn, answersOf, hostedRequestIds } from "../messages/requests.js";

/** Whether an input answers what an earlier run left open: requests, or calls. */
export function answersSomething(input: readonly Message[]): boolean {
  for (let at = input.length - 1; at >= 0; at--) {
    const message = input[at];
    if (message === undefined || message.role === "assistant") return false;
    if (message.role === "tool" || answersOf(message).length > 0) return true;
  }
  return false;
}

/** Whether what came in last answers a part of something of which the rest still waits. */
export function isLeftOpen(input: readonly Message[], added: readonly Message[]): boolean {
  const turn = input.findLastIndex((message) => message.role === "assistant") + 1;
  const log = [...input, ...added];
  const news = new Set<string>();
  for (const message of log.slice(turn)) {
    for (const answer of answersOf(message)) news.add(answer.requestId);
    for (const content of message.contents) {
      if (content.type === "function_result") news.add(content.callId);
    }
  }
  const open = new Set(openCalls(log).map((call) => call.callId));
  const answers = answersIn(log);
  return log.some((message) => {
    const calls = callsOf(message).map((call) => call.callId);
    const questions = hostedRequestIds(message);
    if (![...calls, ...questions].some((id) => news.has(id))) return false;
    return calls.some((id) => open.has(id)) || questions.some((id) => !answers.has(id));
  });
}
