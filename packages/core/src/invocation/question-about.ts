import { VerdictContext } from "../approvals/verdict.js";
import type { FunctionCallContent } from "../messages/content.js";
import type { BatchTerms, JudgedCall, JudgedQuestion, RunnableCall } from "./judged-call.js";

/** A call as a question, whatever else was said about it. */
export function questionAbout(
  { index, call, tool, arguments: args, input, context: judged }: RunnableCall,
  batch: readonly FunctionCallContent[],
  { run, ended }: Pick<BatchTerms, "run" | "ended">,
): JudgedQuestion {
  const context =
    judged ?? new VerdictContext({ tool, call, arguments: args, input, batch, run, ended });
  return { kind: "ask", index, context, input, verdict: { kind: "ask" } };
}

/** Whether the call's tool may want it approved. */
export function mayAsk(each: JudgedCall): boolean {
  if (each.kind !== "run") return false;
  const { approvalMode } = each.tool;
  return approvalMode !== undefined && approvalMode !== "never_require";
}
