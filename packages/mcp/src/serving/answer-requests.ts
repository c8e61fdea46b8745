import {
  deny,
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
  if (approvals === "refuse" || request.violation !== undefined) return undefined;
  const { params, needs, decide } = personQuestion(request);
  if (!abilitiesOf(client.capabilities)[needs]) return undefined;
  try {
    const answer = await client.ask({ method: "elicitation/create", params }, approvalTimeoutMs);
    const decision = await decide(answer);
    return principal ? { ...decision, decidedBy: principal.id } : decision;
  } catch (error) {
    // Whoever does not answer in time, or in a way that makes no sense, has not said yes.
    if (!signal.aborted) onError(error);
    return deny(request, { reason: "Nobody has answered." });
  }
}

/** A function without types may return anything. */
function isAnswerTo({ requestId }: FunctionApprovalRequestContent, answer: unknown): boolean {
  if (!isJsonObject(answer)) return false;
  return answer["type"] === "function_approval_response" && answer["requestId"] === requestId;
}
