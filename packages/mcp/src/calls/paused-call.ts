import {
  type FunctionInvocationContext,
  isJsonObject,
  type JsonObject,
  type MiddlewareTermination,
  paused,
  type ResumedCall,
  type ToolResult,
} from "@tunic/core";
import type { McpElicitationAnswer } from "../asking/elicitation.js";
import { type AskedQuestion, type Question, readResponse, requestFor } from "../asking/question.js";
import { failure } from "../results/read-result.js";
import type { CallOutcome, Flight } from "./flight.js";

/** How often a call was sent, and what it is sent with, where the server has asked something in its answer. */
export interface Round {
  readonly sent: number;
  /** The server's own, handed back as it is. */
  readonly requestState?: string;
  /** What the server has asked, as far as it is answered. Absent: nothing of it goes back, as with pages to open. */
  readonly inputResponses?: JsonObject;
}

export const firstRound: Round = { sent: 0 };

/** Where a call waits: at the server, in this process; or nowhere, to be sent again with the answers. */
type Waiting = { readonly flight: string } | { readonly round: Round };

/** What is kept of a call while people think. JSON. */
type PausedState = Waiting & { readonly questions: readonly AskedQuestion[] };

/** How a call goes on. */
export type NextStep =
  | { readonly kind: "waits"; readonly flight: Flight }
  | { readonly kind: "again"; readonly round: Round }
  | { readonly kind: "over"; readonly outcome: CallOutcome }
  /** Nothing is left of it. */
  | { readonly kind: "gone" };

/** Ends the run until people have answered. */
export function pauseWith(
  questions: readonly Question[],
  waiting: Waiting,
  context: FunctionInvocationContext,
  expiresAt?: number,
): MiddlewareTermination<ToolResult> {
  const requests = questions.map((question) => requestFor(question, context, expiresAt));
  const asked = questions.map(({ key, elicitation, tries }, at) => ({
    key,
    elicitation,
    tries,
    requestId: requests[at]?.requestId ?? "",
  }));
  return paused(requests, { ...waiting, questions: asked } satisfies PausedState);
}

/**
 * What people have answered, and where it leads.
 *
 * @param take Gives the call that waits in this process, once.
 */
export async function readAnswers(
  { state, answers }: ResumedCall,
  take: (id: string) => Flight | undefined,
  context: FunctionInvocationContext,
): Promise<NextStep> {
  // Nobody but `pauseWith` has written it: the log is trusted, or signed.
  const kept = state as unknown as PausedState;
  const flight = "flight" in kept ? take(kept.flight) : undefined;
  if ("flight" in kept && flight === undefined) return { kind: "gone" };
  const responses = new Map(answers.map((answer) => [answer.requestId, answer]));
  const read: (readonly [Question, McpElicitationAnswer | Question])[] = [];
  for (const question of kept.questions) {
    read.push([question, await readResponse(question, responses.get(question.requestId))]);
  }
  if (flight !== undefined) {
    for (const [{ key }, answer] of read) {
      if (isAnswer(answer)) flight.answer(key, answer);
      else flight.askAgain(answer);
    }
    return { kind: "waits", flight };
  }
  return "round" in kept ? sendAgain(kept.round, read, context) : { kind: "gone" };
}

function sendAgain(
  round: Round,
  read: readonly (readonly [Question, McpElicitationAnswer | Question])[],
  context: FunctionInvocationContext,
): NextStep {
  const { inputResponses } = round;
  const answered = read.flatMap(([{ key }, answer]) => (isAnswer(answer) ? [[key, answer]] : []));
  if (inputResponses === undefined && answered.some(([, answer]) => !isAccepted(answer))) {
    const outcome = failure("mcp_declined", "Not run: the person did not open the server's page.");
    return { kind: "over", outcome };
  }
  const next: Round = inputResponses
    ? { ...round, inputResponses: { ...inputResponses, ...Object.fromEntries(answered) } }
    : round;
  const unclear = read.flatMap(([, answer]) => (isAnswer(answer) ? [] : [answer]));
  if (unclear.length === 0) return { kind: "again", round: next };
  return { kind: "over", outcome: pauseWith(unclear, { round: next }, context) };
}

function isAnswer(value: McpElicitationAnswer | Question): value is McpElicitationAnswer {
  return "action" in value;
}

function isAccepted(answer: unknown): boolean {
  return isJsonObject(answer) && answer["action"] === "accept";
}
