import type { FunctionInvocationContext, FunctionTool } from "@tunic/core";

/** Takes over what has changed, from the next round on; gives the tools that the run has then. */
export function replaceTools(
  context: FunctionInvocationContext,
  before: readonly FunctionTool[],
  offered: readonly FunctionTool[],
  now: readonly FunctionTool[],
): readonly FunctionTool[] {
  const current = new Set(now);
  const removed = before.filter((tool) => !current.has(tool));
  if (removed.length > 0) context.removeTools(removed);
  const known = new Set(offered);
  const had = new Set(before);
  return now.filter((tool) => {
    if (known.has(tool)) return had.has(tool);
    try {
      context.addTools(tool);
      return true;
    } catch (error) {
      // Somebody else's tool has the name, and keeps it.
      context.run.notice(
        "mcp_tool_refused",
        `The tool "${tool.name}" of the MCP server "${tool.owner}" is left out: the name is taken. Give mcpTools() another \`name\` or \`toolNamePrefix\`.`,
        error,
      );
      return false;
    }
  });
}
