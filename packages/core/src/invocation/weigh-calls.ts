import type { FunctionCallContent } from "../messages/content.js";
import { lateModule } from "../run/late-module.js";
import type { BatchTerms, JudgedCall } from "./judged-call.js";
import { mayAsk } from "./question-about.js";

// Most agents ask nobody about anything.
const approvalFlow = lateModule(() => import("./approval-flow.js"));

/** The handlers, or what stands in their middle, judge each valid call; the order changes nothing. */
export function weighCalls(
  calls: readonly FunctionCallContent[],
  judged: readonly JudgedCall[],
  terms: BatchTerms,
): readonly JudgedCall[] | Promise<readonly JudgedCall[]> {
  const { verdict, denied: before, held } = terms;
  if (verdict === undefined && held === undefined && before.none && !judged.some(mayAsk)) {
    return judged;
  }
  return approvalFlow().then(({ weighBatch }) => weighBatch(calls, judged, terms));
}
