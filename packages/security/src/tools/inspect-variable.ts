import { type FunctionTool, textContent, tool, toolResult } from "@tunic/core";
import { audit, flowOf } from "../flow/flow-run.js";
import { asReference } from "../tree/reference.js";
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
        const reference = asReference({ $ref: variable });
        const stored = reference && flow?.variables.get(reference.id, reference.path);
        if (flow === undefined || record === undefined || stored === undefined) {
          if (flow && record) flow.ownResults.set(call.callId, record.callLabel);
          return noSuchVariable();
        }
        const { lattice } = flow.settings;
        const label = lattice.join(record.callLabel, lattice.read(stored.label) ?? lattice.top);
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
