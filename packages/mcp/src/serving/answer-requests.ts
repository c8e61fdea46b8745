import {
  type FunctionApprovalRequestContent,
  type FunctionApprovalResponseContent,
  isJsonObject,
  withAbort,
} from "@tunic/core";
import { abilitiesOf, type CallingClient } from "./calling-client.js";
import { personQuestion } from "./person-question.js";
import type { ServeSettings } from "./serve-options.js";

/** Takes decisions on requests; a request that nobody can decide on makes all of them undecided. */
export async function answerRequests(
  requests: readonly FunctionApprovalRequestContent[],
  settings: ServeSettings,
  client: CallingClient,
): Promise<readonly FunctionApprovalResponseContent[] | undefined> {
  const answers: FunctionApprovalResponseContent[] = [];
  for (const request of requests) {
    const answer = await answerRequest(request, settings, client);
    if (answer === undefined) return undefined;
    answers.push(answer);
  }
  return answers;
}

async function answerRequest(
  request: FunctionApprovalRequestContent,
  settings: ServeSettings,
  client: CallingClient,
): Promise<FunctionApprovalResponseContent | undefined> {
  const { approvals, approvalTimeoutMs, onError } = settings;
  const { principal, signal } = client;
  if (typeof approvals === "function") {
    // It may wait for a person, and not listen: a call that nobody waits for any more takes no place.
    const answer = await withAbort(signal, async (signal) =>
      approvals(request, { principal, signal }),
    );
    return isAnswerTo(request, answer) ? answer : undefined;
  }
  if (!canDecide(request, settings, client)) return undefined;
  const { params, decide, unanswered } = personQuestion(request);
  try {
    const answer = await client.ask({ method: "elicitation/create", params }, approvalTimeoutMs);
    const decision = await decide(answer);
    if (decision === undefined) return undefined;
    return principal ? { ...decision, decidedBy: principal.id } : decision;
  } catch (error) {
    // Nobody has said yes, and nobody has said no.
    if (!signal.aborted) onError(error);
    return unanswered;
  }
}

/** Whether there is anybody who may say yes to a request. */
export function canDecide(
  request: FunctionApprovalRequestContent,
  { approvals }: ServeSettings,
  { capabilities }: CallingClient,
): boolean {
  if (typeof approvals === "function") return true;
  if (approvals === "refuse" || request.violation !== undefined) return false;
  return abilitiesOf(capabilities)[personQuestion(request).needs];
}

/** A function without types may return anything. */
function isAnswerTo({ requestId }: FunctionApprovalRequestContent, answer: unknown): boolean {
  if (!isJsonObject(answer)) return false;
  return answer["type"] === "function_approval_response" && answer["requestId"] === requestId;
}
