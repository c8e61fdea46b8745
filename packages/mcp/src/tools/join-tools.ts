import type { FunctionTool } from "@tunic/core";
import { McpError } from "../mcp-error.js";
import type { LocalTools } from "./local-tools.js";

/**
 * Puts a server's own tools together with others of its. The same lists give the same tools, as one object.
 *
 * @returns a function that throws McpError `mcp_duplicate_tool` where two would have one name.
 */
export function toolJoiner(label: string): (lists: readonly LocalTools[]) => LocalTools {
  let last: readonly LocalTools[] = [];
  let joined: LocalTools | undefined;
  return (lists) => {
    const [only] = lists;
    if (lists.length === 1 && only !== undefined) return only;
    const isSame = lists.length === last.length && lists.every((list, at) => list === last[at]);
    if (joined !== undefined && isSame) return joined;
    const tools = new Map<string, FunctionTool>();
    for (const tool of lists.flatMap((list) => list.tools)) {
      if (tools.has(tool.name)) throw oneName(label, tool.name);
      tools.set(tool.name, tool);
    }
    last = lists;
    joined = {
      tools: Object.freeze([...tools.values()]),
      leftOut: lists.flatMap(({ leftOut }) => leftOut),
    };
    return joined;
  };
}

function oneName(label: string, name: string): McpError {
  return new McpError(
    "mcp_duplicate_tool",
    `A tool of the server "${label}" and one that reads its prompts or resources would both be "${name}". Leave one out, with blockedTools, prompts or resources.`,
  );
}
