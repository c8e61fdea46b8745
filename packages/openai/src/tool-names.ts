import { type Tool, type ToolNameRules, toolNamesOnWire, toWireToolName } from "@tunic/core";

/** Names of functions, by OpenAI's reference: letters, digits, `_` and `-`, at most 64 of them. */
const rules: ToolNameRules = { service: "OpenAI", refused: /[^a-zA-Z0-9_-]/g, longest: 64 };

/** The name of a tool as the service takes it; depends on the name alone. */
export function toWireName(name: string): string {
  return toWireToolName(name, rules);
}

const known = new WeakMap<readonly Tool[], Known>();

interface Known {
  /** As the list was: it may have been changed since. */
  readonly tools: readonly Tool[];
  readonly names: ReadonlyMap<string, string>;
}

/**
 * The names of function tools by their names on the wire: the way back for what a model calls. The
 * same list gives the same map.
 *
 * @throws ConfigurationError `tool_name_collision` where two tools would have one name there.
 */
export function namesOnWire(tools: readonly Tool[]): ReadonlyMap<string, string> {
  const made = known.get(tools);
  if (made?.tools.length === tools.length && made.tools.every((tool, at) => tool === tools[at])) {
    return made.names;
  }
  const functions = tools.filter((tool) => tool.type === "function");
  const names = toolNamesOnWire(
    functions.map(({ name }) => name),
    rules,
  );
  known.set(tools, { tools: [...tools], names });
  return names;
}
