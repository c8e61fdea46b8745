import { ConfigurationError } from "../errors/configuration-error.js";
import type { JsonObject } from "../messages/json.js";
import type { HostedTool } from "./tool.js";

/**
 * What a hosted tool puts into its service's list of tools, for the chat client of that service.
 *
 * @param provider The client's own.
 * @param service As people call it, such as `OpenAI`.
 * @throws ConfigurationError `foreign_tool` for a tool that another service runs.
 */
export function ownDefinition(tool: HostedTool, provider: string, service: string): JsonObject {
  if (tool.provider === provider) return tool.definition;
  throw new ConfigurationError(
    "foreign_tool",
    `Tool "${tool.name}" is run by ${tool.provider}, and ${service} cannot run it. Leave it out, or ask a model of ${tool.provider}.`,
  );
}
