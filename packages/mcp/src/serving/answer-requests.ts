import {
  approve,
  deny,
  type FunctionApprovalRequestContent,
  type FunctionApprovalResponseContent,
  isJsonObject,
  type JsonObject,
  withAbort,
} from "@tunic/core";
import { abilitiesOf, type CallingClient } from "./calling-client.js";
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
  try {
    const params = formFor(request);
    const answer = await client.ask({ method: "elicitation/create", params }, approvalTimeoutMs);
    const isYes = readDecision(answer);
    if (isYes === undefined) return undefined;
    const decision = isYes ? approve(request) : deny(request);
    return principal ? { ...decision, decidedBy: principal.id } : decision;
  } catch (error) {
    // Nobody has said yes, and nobody has said no.
    if (!signal.aborted) onError(error);
    return undefined;
  }
}

/** Whether there is anybody who may say yes to a request. */
export function canDecide(
  request: FunctionApprovalRequestContent,
  { approvals }: ServeSettings,
  { capabilities }: CallingClient,
): boolean {
  if (typeof approvals === "function") return true;
  return (
    approvals === "elicit" && abilitiesOf(capabilities).forms && request.violation === undefined
  );
}

/**
 * What the person has said. To accept is to agree ("explicitly approved", says the protocol), unless the form's field
 * says no. Undefined: neither, such as a form that was closed, or content that means nothing.
 */
function readDecision({ action, content }: JsonObject): boolean | undefined {
  if (action === "decline") return false;
  if (action !== "accept") return undefined;
  // Some clients send no content where nothing has to be filled in, or null.
  const filled = content ?? {};
  const said = isJsonObject(filled) ? (filled["approve"] ?? true) : undefined;
  return typeof said === "boolean" ? said : undefined;
}

/** A function without types may return anything. */
function isAnswerTo({ requestId }: FunctionApprovalRequestContent, answer: unknown): boolean {
  if (!isJsonObject(answer)) return false;
  return answer["type"] === "function_approval_response" && answer["requestId"] === requestId;
}

function formFor({ call, summary, reason, effective }: FunctionApprovalRequestContent): JsonObject {
  const args = JSON.stringify(effective ?? call.arguments ?? {}, undefined, 2);
  const parts = [`Run the tool "${call.name}" with ${args}?`, summary, reason];
  return {
    mode: "form",
    message: parts.filter((part) => part !== undefined).join("\n\n"),
    requestedSchema: {
      type: "object",
      properties: {
        approve: {
          type: "boolean",
          title: "Run it",
          description: "Whether the call may run.",
          // Who accepts without touching it says what it shows.
          default: true,
        },
      },
    },
  };
}
