import type { ContentLabel } from "../labels/content-label.js";
import type { FlowRun } from "./flow-run.js";
import { spendOutcome } from "./outcome-bit.js";

/**
 * The label of a constant text that says that a call was not done. The words say nothing, but that they
 * stand there tells one thing of the values that it depended on: it costs a bit, and where there is none left
 * the text is labelled as those values are.
 *
 * @param values What the outcome depended on.
 */
export function outcomeLabel(
  flow: FlowRun,
  callId: string,
  {
    tool,
    callLabel,
  }: { readonly tool: { readonly key: string }; readonly callLabel: ContentLabel },
  values: ContentLabel,
): ContentLabel {
  if (callLabel.integrity === "untrusted" || values.integrity === "trusted") return callLabel;
  if (spendOutcome(flow, callId, tool.key)) return callLabel;
  return flow.settings.lattice.join(callLabel, values);
}
