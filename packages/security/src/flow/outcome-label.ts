import type { ContentLabel } from "../labels/content-label.js";
import { audit, type FlowRun } from "./flow-run.js";

/**
 * The label of a constant text that says that a call failed, or was denied. The words say nothing, but that
 * they stand there tells one thing of the values that it depended on. It is paid for out of the session's
 * budget of bits, and written down; without budget the text is labelled as those values are.
 *
 * @param from Of the request that produced the call.
 * @param values What the outcome depended on.
 */
export function outcomeLabel(
  flow: FlowRun,
  callId: string,
  from: ContentLabel,
  values: ContentLabel,
): ContentLabel {
  const { policy, lattice } = flow.settings;
  if (from.integrity === "untrusted" || values.integrity === "trusted") return from;
  if (flow.memory.bits + 1 > policy.endorseBits) return lattice.join(from, values);
  flow.memory.bits += 1;
  audit(flow, "endorse", { callId, at: "outcome", bits: 1, rule: { type: "outcome" } });
  return from;
}
