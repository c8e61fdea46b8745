import type { ApprovalSettings } from "../approvals/approval-options.js";
import { makeRequests, type WaitingCall } from "../approvals/approval-request.js";
import type { FunctionCallContent } from "../messages/content.js";
import type { Update } from "../messages/update.js";
import type { Run } from "../run/run.js";
import type { JudgedQuestion } from "./judged-call.js";
import type { OpenBatch, RunLog } from "./run-log.js";

/** What people have to be asked about a batch. */
export interface Questions {
  readonly asked: readonly JudgedQuestion[];
  /** Calls that have started, and ask from inside. */
  readonly started: readonly WaitingCall[];
  /** The calls that wait for the answers. */
  readonly waits: readonly FunctionCallContent[];
  /** Calls beside that could not run. */
  readonly refused: readonly FunctionCallContent[];
}

interface AskingTerms {
  readonly run: Run;
  readonly settings: ApprovalSettings;
  readonly log: RunLog;
  readonly emit: ((update: Update) => void | Promise<void>) | undefined;
}

/** Puts questions into the log, and before the consumer. */
export async function askPeople(
  { asked, started, waits, refused }: Questions,
  batch: OpenBatch,
  { run, settings, log, emit }: AskingTerms,
): Promise<void> {
  const terms = { run, settings, batch: idsOf(waits), refused: idsOf(refused), calls: batch.all };
  const contents = await run.gate.pass(makeRequests(asked, started, terms));
  const deltas = log.ask(batch, contents);
  for (const { requestId, call } of contents.requests) {
    run.emit("approval.requested", { requestId, call });
  }
  for (const delta of deltas) await emit?.(delta);
}

function idsOf(calls: readonly FunctionCallContent[]): readonly string[] {
  return calls.map((call) => call.callId);
}
