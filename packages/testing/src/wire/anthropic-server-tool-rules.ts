import { asRecord, asText, isGiven, type Problems, shown, type WireRecord } from "./wire-values.js";

/** A message as its blocks. */
export interface BlocksOfMessage {
  readonly role: unknown;
  readonly blocks: readonly WireRecord[];
}

/**
 * Tools that the service runs: a result stands in the message of its call, after it, once. The service:
 * "Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before it". A
 * call without one is left open only by a turn that paused (`pause_turn`), which is then the last
 * message, or by code that waits for a tool of ours (a call with a `caller`), whose results come first;
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/programmatic-tool-calling.
 */
export function serverToolProblems(messages: readonly BlocksOfMessage[]): Problems {
  const problems: string[] = [];
  let open = new Set<string>();
  messages.forEach(({ role, blocks }, at) => {
    if (role !== "assistant") return;
    for (const block of blocks) problems.push(...follow(block, open, at));
    const waits = blocks.some(isCalledByCode) || at === messages.length - 1;
    if (waits) return;
    for (const id of open) problems.push(`messages[${at}]: no result for ${shown(id)}`);
    open = new Set();
  });
  return problems;
}

function follow(block: WireRecord, open: Set<string>, at: number): Problems {
  const type = asText(block["type"]);
  if (type === "server_tool_use" || type === "mcp_tool_use") {
    open.add(asText(block["id"]));
    return [];
  }
  if (type === "tool_result" || !type.endsWith("_tool_result")) return [];
  const id = asText(block["tool_use_id"]);
  return open.delete(id) ? [] : [`messages[${at}]: a ${type} for ${shown(id)}, which is not open`];
}

function isCalledByCode(block: WireRecord): boolean {
  const { type } = asRecord(block["caller"]);
  return block["type"] === "tool_use" && isGiven(type) && type !== "direct";
}
