import { refusalCodes } from "../approvals/refusal-codes.js";
import type { FunctionResultContent } from "../messages/content.js";

/**
 * Whether a batch failed: every call did that was not denied. A denial alone is neither a failure nor a
 * success; undefined where there is nothing else.
 */
export function hasFailed(
  results: readonly (FunctionResultContent | undefined)[],
): boolean | undefined {
  let judged = 0;
  let failed = 0;
  for (const result of results) {
    if (refusalCodes.has(result?.error?.code)) continue;
    judged++;
    if (result?.isError === true) failed++;
  }
  return judged === 0 ? undefined : failed === judged;
}
