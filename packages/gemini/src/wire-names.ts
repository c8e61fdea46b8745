import { type Tool, type ToolNameRules, toolNamesOnWire, toWireToolName } from "@tunic/core";

/**
 * The SDK's types allow 128 characters by now; the service still has refused names of more than 64
 * ("with a maximum length of 64"), and a name that fits the older rule fits both.
 */
const rules: ToolNameRules = {
  service: "Gemini",
  refused: /[^a-zA-Z0-9_.:-]/g,
  start: /^[a-zA-Z_]/,
  longest: 64,
};

/** The name of a tool as Gemini takes it: that of a tool offered, of a choice, of an old call. */
export function toWireName(name: string): string {
  return toWireToolName(name, rules);
}

/**
 * Our names by the names on the wire.
 *
 * @throws ConfigurationError `tool_name_collision`
 */
export function namesOnWire(names: Iterable<string>): ReadonlyMap<string, string> {
  return toolNamesOnWire(names, rules);
}

/**
 * The names of tools by their names on the wire: the way back for what a model calls.
 *
 * @throws ConfigurationError `tool_name_collision`
 */
export function geminiToolNames(tools: readonly Tool[]): ReadonlyMap<string, string> {
  return namesOnWire(tools.flatMap((tool) => (tool.type === "function" ? tool.name : [])));
}
