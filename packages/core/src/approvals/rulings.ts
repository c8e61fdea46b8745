import type {
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  FunctionCallContent,
} from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import { waitingCallId } from "../messages/requests.js";
import { sameJson } from "../messages/same-json.js";
import type { ApprovalDecision, ResumedCall, Tool, ToolResult } from "../tools/tool.js";
import { toolsByName } from "../tools/tool-list.js";
import { errorResult } from "../tools/tool-result.js";
import { requestedTool } from "./requested-tool.js";
import type { HeldBatch } from "./settle-answers.js";

/** What people have decided about a call that waited. */
export type Ruling =
  | {
      readonly kind: "approved";
      readonly decision: ApprovalDecision;
      readonly request: FunctionApprovalRequestContent;
      readonly answer: FunctionApprovalResponseContent;
      /** As the person has changed them. */
      readonly arguments?: JsonObject;
    }
  | { readonly kind: "refused"; readonly result: ToolResult; readonly byPerson: boolean }
  /** The call had started: it goes on. */
  | { readonly kind: "resumed"; readonly resumed: ResumedCall };

/** What the answers to a batch mean for its calls, by call id; calls that nobody was asked about have none. */
export async function rulingsOn(
  batch: HeldBatch,
  tools: readonly Tool[],
): Promise<ReadonlyMap<string, Ruling>> {
  const rulings = new Map<string, Ruling>();
  for (const call of batch.open) {
    const requests = batch.requests.filter((request) => waitingCallId(request) === call.callId);
    const ruling = await rulingOn(call, requests, batch, tools);
    if (ruling) rulings.set(call.callId, ruling);
  }
  return rulings;
}

async function rulingOn(
  call: FunctionCallContent,
  requests: readonly FunctionApprovalRequestContent[],
  batch: HeldBatch,
  tools: readonly Tool[],
): Promise<Ruling | undefined> {
  const request = requests.at(-1);
  if (request === undefined) return undefined;
  const stage = batch.paused.get(call.callId);
  if (request.path !== undefined && stage !== undefined) {
    if (await hasChanged(call.name, stage.hash, tools)) return stale(call.name);
    const answers = requests.flatMap((each) => batch.answers.get(each.requestId) ?? []);
    return { kind: "resumed", resumed: { state: stage.state, answers } };
  }
  const answer = batch.answers.get(request.requestId);
  if (!answer?.approved) return refused("approval_denied", denial(answer?.reason), true);
  if (await hasChanged(call.name, request.tool?.hash, tools)) return stale(call.name);
  return approved(request, answer);
}

function approved(
  request: FunctionApprovalRequestContent,
  answer: FunctionApprovalResponseContent,
): Ruling {
  const { requestId, summary, violation, additionalProperties } = request;
  const { decidedBy, reason } = answer;
  // Posted as they were, they are no edit.
  const posted = answer.arguments;
  const edited = posted && !sameJson(posted, request.call.arguments) ? posted : undefined;
  const decision: ApprovalDecision = Object.freeze({
    requestId,
    approved: true,
    edited: edited !== undefined,
    ...(decidedBy !== undefined && { decidedBy }),
    ...(reason !== undefined && { reason }),
    ...(summary !== undefined && { summary }),
    ...(violation !== undefined && { violation }),
    ...(additionalProperties !== undefined && { additionalProperties }),
  });
  const changed = edited && { arguments: edited };
  return { kind: "approved", decision, request, answer, ...changed };
}

/** A tool that is not there at all is the loop's to tell of. */
async function hasChanged(
  name: string,
  hash: string | undefined,
  tools: readonly Tool[],
): Promise<boolean> {
  const tool = toolsByName(tools).get(name);
  if (tool?.type !== "function") return false;
  return (await requestedTool(tool)).hash !== hash;
}

function denial(reason: string | undefined): string {
  const said = reason?.trim();
  return `a person has denied this call. Do not repeat it.${said ? ` Their reason: ${said}` : ""}`;
}

function stale(name: string): Ruling {
  const message = `the tool "${name}" has changed since the call was approved: the approval does not hold for it.`;
  return refused("approval_stale", message, false);
}

function refused(code: string, message: string, byPerson: boolean): Ruling {
  return {
    kind: "refused",
    result: errorResult({ code, message: `not run: ${message}` }),
    byPerson,
  };
}
