import type { Content, FunctionApprovalRequestContent } from "../messages/content.js";
import { callsOf } from "../messages/message.js";
import type { Run } from "../run/run-context.js";
import type { JudgedCall } from "./judge-batch.js";
import type { OpenBatch } from "./run-log.js";

/** The requests for the calls of a batch that somebody has to be asked about, by message. */
export function requestsFor(
  batch: OpenBatch,
  judged: readonly JudgedCall[],
  run: Run,
): ReadonlyMap<string, readonly Content[]> {
  const requests = new Map<string, Content[]>();
  for (const each of judged) {
    if (each.kind !== "ask") continue;
    const call = batch.calls[each.index];
    const message = batch.messages.find((one) => callsOf(one).some((made) => made === call));
    if (call === undefined || message === undefined) continue;
    const { reason, summary, violation } = each.verdict;
    const request: FunctionApprovalRequestContent = {
      type: "function_approval_request",
      requestId: run.newId("request"),
      call,
      ...(reason !== undefined && { reason }),
      ...(summary !== undefined && { summary }),
      ...(violation !== undefined && { violation }),
    };
    requests.set(message.id, [...(requests.get(message.id) ?? []), request]);
    run.emit("approval.requested", { requestId: request.requestId, call });
  }
  return requests;
}
