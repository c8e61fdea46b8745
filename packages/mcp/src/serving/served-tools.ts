import {
  Agent,
  ConfigurationError,
  type FunctionTool,
  type JsonObject,
  normalizeTools,
  type ToolInput,
} from "@tunic/core";

/** What is served: tools, a function that says which there are now, or an agent, which becomes one tool. */
export type Served = ToolInput | Agent | (() => ToolInput);

/** Says which tools there are now, by name. */
export type ToolsNow = () => ReadonlyMap<string, FunctionTool>;

/**
 * Reads what is to be served.
 *
 * @throws ConfigurationError for what cannot be served; from the returned function, too, where the tools come from one.
 */
export function readServed(served: Served): ToolsNow {
  if (typeof served === "function") return () => byName(served());
  const tools = byName(served instanceof Agent ? served.asTool() : served);
  return () => tools;
}

function byName(input: ToolInput): ReadonlyMap<string, FunctionTool> {
  const tools = new Map<string, FunctionTool>();
  for (const tool of normalizeTools(input, "served tools")) {
    if (tool.type !== "function" || tool.execute === undefined) {
      throw new ConfigurationError(
        "invalid_option",
        `serveTools(): "${tool.name}" has no function that could run here; leave it out.`,
      );
    }
    // What revision 2025-11-25 has clients count on ("Tool Names").
    if (!/^[A-Za-z0-9_.-]{1,128}$/.test(tool.name)) {
      throw new ConfigurationError(
        "tool_name",
        `serveTools(): a served tool's name has letters, digits, "_", "-" and "." only; got ${JSON.stringify(tool.name)}.`,
      );
    }
    tools.set(tool.name, tool);
  }
  return tools;
}

const definitions = new WeakMap<FunctionTool, JsonObject>();

/** A tool as `tools/list` tells of it. */
export function definitionOf(tool: FunctionTool): JsonObject {
  const known = definitions.get(tool);
  if (known !== undefined) return known;
  const { name, title, description, parameters } = tool;
  const annotations = annotationsOf(tool);
  const definition: JsonObject = {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: { ...parameters, type: "object" },
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
  definitions.set(tool, definition);
  return definition;
}

/** Only what the tool says of itself: the protocol's own defaults are the cautious ones. */
function annotationsOf({ readOnly, destructive, runsCode, trust }: FunctionTool): JsonObject {
  return {
    ...(readOnly !== undefined && { readOnlyHint: readOnly }),
    ...((destructive !== undefined || runsCode) && {
      destructiveHint: destructive === true || runsCode === true,
    }),
    ...(trust === "external" && { openWorldHint: true }),
  };
}
