import { audit, type FlowRun } from "./flow-run.js";

/**
 * Whether the model may be told that something failed which was done with untrusted data: that says one bit
 * of the data. It is counted with what else is let through; when the budget is used up, a failure looks like
 * a success.
 */
export function spendOutcome(flow: FlowRun, callId: string, tool: string): boolean {
  const { ledger, settings } = flow;
  if (ledger.bits + 1 > settings.policy.endorseBits) return false;
  ledger.bits += 1;
  audit(flow, "endorse", { callId, tool, at: "outcome", bits: 1 });
  return true;
}
