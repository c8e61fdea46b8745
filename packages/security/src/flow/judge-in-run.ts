import type { VerdictContext } from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import { type FlowJudgement, judgeCall } from "../policy/judge-call.js";
import { isOwnTool } from "../tools/own-tools.js";
import { originalOf } from "../tools/wrap-tool.js";
import { readEditedCall } from "./edited-call.js";
import type { FlowRun } from "./flow-run.js";
import { namedValuesOf } from "./message-labels.js";
import { type ReadCall, readCall } from "./read-call.js";

/** The call as it is to be judged: as the model made it, or as a person has changed it. */
export function readJudged(flow: FlowRun, context: VerdictContext, label: ContentLabel): ReadCall {
  const { tool, written } = context;
  if (context.decision?.edited !== true) return readCall(flow, tool, written, label);
  return readEditedCall(flow, tool, written, originalCall(flow, context, label));
}

/** The call as the model made it, whatever a person has changed. */
export function originalCall(
  flow: FlowRun,
  { tool, call }: VerdictContext,
  label: ContentLabel,
): ReadCall {
  return readCall(flow, tool, call.arguments ?? {}, label);
}

/** What the rules say. The tools of this package do nothing but show and extract: they are free. */
export function judge(flow: FlowRun, { tool }: VerdictContext, call: ReadCall): FlowJudgement {
  if (isOwnTool(originalOf(tool))) return { violations: [], endorsements: [] };
  const { policy, mode } = flow.settings;
  return judgeCall(policy, {
    tool: call.tool,
    callLabel: call.callLabel,
    leaves: call.leaves,
    named: namedValuesOf(flow),
    bitsLeft: policy.endorseBits - flow.ledger.bits,
    strict: mode === "strict",
  });
}
