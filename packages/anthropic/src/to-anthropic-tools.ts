import type Anthropic from "@anthropic-ai/sdk";
import {
  ConfigurationError,
  type FunctionTool,
  type HostedTool,
  type Tool,
  toObjectSchema,
} from "@tunic/core";

const toolName = /^[a-zA-Z0-9_-]{1,128}$/;
/** The service checks the members of the root only. */
const propertyName = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Tools never change, so each is checked and converted once. */
const converted = new WeakMap<Tool, Anthropic.ToolUnion>();

/**
 * Our tools as the `tools` of a request. Hosted tools of Anthropic go in as their `definition` is.
 *
 * @throws ConfigurationError `invalid_tool` for a tool that the service would refuse (and with it the
 * whole request): a name, an argument's name or a hosted tool that is not Anthropic's.
 */
export function toAnthropicTools(tools: readonly Tool[]): Anthropic.ToolUnion[] {
  return tools.map((tool) => {
    let wire = converted.get(tool);
    if (wire === undefined) {
      wire = tool.type === "hosted" ? hostedTool(tool) : functionTool(tool);
      converted.set(tool, wire);
    }
    return wire;
  });
}

function functionTool(tool: FunctionTool): Anthropic.Tool {
  if (!toolName.test(tool.name)) {
    throw invalidTool(
      `Tool "${tool.name}": Anthropic takes names of 1 to 128 letters, digits, "_" and "-". Rename it.`,
    );
  }
  const schema = toObjectSchema(tool.parameters, `The schema of tool "${tool.name}"`);
  for (const name of Object.keys(schema["properties"] ?? {})) {
    if (propertyName.test(name)) continue;
    throw invalidTool(
      `Tool "${tool.name}", argument "${name}": Anthropic takes names of 1 to 64 letters, digits, "_", "." and "-". Rename the argument.`,
    );
  }
  return {
    name: tool.name,
    ...(tool.description !== "" && { description: tool.description }),
    input_schema: { ...schema, type: "object" },
  };
}

function hostedTool(tool: HostedTool): Anthropic.ToolUnion {
  if (tool.provider !== "anthropic") {
    throw invalidTool(
      `Tool "${tool.name}" is run by "${tool.provider}", and Anthropic cannot run it. Leave it out, or ask a model of "${tool.provider}".`,
    );
  }
  // The vendor's own words: a newer kind of tool needs no newer version of this package.
  return tool.definition as unknown as Anthropic.ToolUnion;
}

function invalidTool(message: string): ConfigurationError {
  return new ConfigurationError("invalid_tool", message);
}
