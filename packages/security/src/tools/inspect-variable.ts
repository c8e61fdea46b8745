import { type FunctionTool, textContent, tool, toolResult } from "@tunic/core";
import { audit, flowOf } from "../flow/flow-run.js";
import { outcomeLabel } from "../flow/outcome-label.js";
import { askedVariables } from "./asked-variables.js";
import { asOwnTool } from "./own-tools.js";
import { asWrapped } from "./wrap-tool.js";

/**
 * `inspect_variable`: shows the model a hidden value. From then on the context holds what the value holds:
 * the model can no longer do what needs a trusted context.
 */
export const inspectVariable: FunctionTool = asOwnTool(
  asWrapped(
    tool({
      name: "inspect_variable",
      description:
        "Shows a hidden value. After that, actions that need a trusted context are refused.",
      parameters: {
        type: "object",
        properties: { variable: { type: "string", description: "Such as vN or vN.body." } },
        required: ["variable"],
        additionalProperties: false,
      },
      readOnly: true,
      execute({ variable }, { run, call }) {
        const flow = flowOf(run);
        const record = flow?.calls.get(call.callId);
        if (flow === undefined || record === undefined) return noSuchVariable();
        const { callLabel } = record;
        const asked = askedVariables(flow, record, [variable]);
        const [stored] = asked.found ?? [];
        if (stored === undefined) {
          const told = outcomeLabel(
            flow,
            call.callId,
            { tool: { key: "inspect_variable" }, callLabel },
            asked.label,
          );
          flow.ownResults.set(call.callId, told);
          return noSuchVariable();
        }
        const label = flow.settings.lattice.join(callLabel, asked.label);
        flow.ownResults.set(call.callId, label);
        audit(flow, "inspect", { callId: call.callId, variable, label: { ...label } as never });
        const { value } = stored;
        return toolResult({
          contents: [textContent(typeof value === "string" ? value : JSON.stringify(value))],
        });
      },
    }) as FunctionTool,
  ),
);

/** The same words whether an id was never given or is another conversation's: nothing can be tried out. */
export function noSuchVariable() {
  const message = "there is no such variable in this conversation.";
  return toolResult({
    contents: `Error: ${message}`,
    error: { code: "unknown_variable", retryable: false, message },
  });
}
