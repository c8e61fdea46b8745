import { type FunctionTool, tool } from "@tunic/core";
import type { FlowPolicy } from "@tunic/security";

/** A tool of the program that nobody but its people should get to. */
export function payment(): { readonly paid: readonly unknown[]; readonly pay: FunctionTool } {
  const paid: unknown[] = [];
  const pay = tool({
    name: "pay",
    parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    execute: ({ to }) => {
      paid.push(to);
      return "paid";
    },
  });
  return { paid, pay: pay as FunctionTool };
}

/** A policy in which paying has consequences. */
export const policyFor = (tools: FlowPolicy["tools"]): FlowPolicy => ({
  version: 1,
  tools: { pay: { effects: ["consequential"] }, ...tools },
});
