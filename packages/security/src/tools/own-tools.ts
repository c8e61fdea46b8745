import type { FunctionTool } from "@tunic/core";

const own = new WeakSet<FunctionTool>();

/** Whether a tool is one of this package: known by the object itself, whatever others are called. */
export function isOwnTool(tool: FunctionTool): boolean {
  return own.has(tool);
}

/** Notes that a tool is one of this package. */
export function asOwnTool(tool: FunctionTool): FunctionTool {
  own.add(tool);
  return tool;
}
