import type { WaitingCall } from "../approvals/approval-request.js";
import type { Run } from "../run/run.js";
import { type KeptOutcome, Settlement } from "../run/settlement.js";
import type { RunnableCall } from "./judged-call.js";
import { resultContent } from "./result-content.js";
import { interrupted, type OpenBatch } from "./run-log.js";

/** What a run has done about calls that waited; of the whole run, whichever pass of it this is. */
export function settlementOf(run: Run): Settlement {
  const root = run.passOf ?? run;
  root.settlement ??= new Settlement();
  return root.settlement;
}

/** A call begins. One that waited does not begin again, whatever becomes of this pass. */
export function beginCall(run: Run, batch: OpenBatch, { call, index }: RunnableCall): void {
  batch.started[index] = true;
  if (!batch.resumed) return;
  const result = resultContent(call.callId, interrupted(true));
  const { begun, outcomes } = settlementOf(run);
  begun.add(call.callId);
  outcomes.set(call.callId, { result });
}

/** A call has its result, or waits for further answers. */
export function settleCall(
  run: Run,
  batch: OpenBatch,
  index: number,
  outcome: KeptOutcome<WaitingCall>,
): void {
  const call = batch.calls[index];
  if (batch.resumed && call) settlementOf(run).outcomes.set(call.callId, outcome);
  putOutcome(batch, index, outcome);
}

/** Puts what is known of a call into its batch. */
export function putOutcome(batch: OpenBatch, index: number, outcome: KeptOutcome): void {
  if (outcome.result) {
    batch.results[index] = outcome.result;
    return;
  }
  batch.waiting ??= [];
  batch.waiting.push(outcome.pause as WaitingCall);
  // In call order, whichever came to its question first.
  const place = ({ call }: WaitingCall): number => batch.calls.indexOf(call);
  batch.waiting.sort((a, b) => place(a) - place(b));
}
