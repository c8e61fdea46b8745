import { type FunctionTool, isJsonObject, type JsonObject, tool } from "@tunic/core";
import { callTool } from "../calls/call-tool.js";
import type { McpServer } from "../connection/mcp-server.js";
import type { RemoteTool } from "./remote-tool.js";

/**
 * A server's tool as one of an agent. What the server says about it can only restrict: `destructiveHint` makes it
 * wait its turn; that it changes nothing, or may run twice, the options have to say.
 *
 * @param name For the model.
 * @throws ConfigurationError where its schema is none.
 */
export function makeTool(server: McpServer, remote: RemoteTool, name: string): FunctionTool {
  const { options, label } = server;
  const { description, inputSchema, annotations } = remote.definition;
  const hints = isJsonObject(annotations) ? annotations : {};
  const title = [remote.definition["title"], hints["title"]].find(
    (each) => typeof each === "string",
  );
  const says = (hint: string): boolean => options.trustAnnotations && hints[hint] === true;
  const destructive = hints["destructiveHint"] === true;
  const readOnly =
    options.readOnly.has(remote.name) ||
    (says("readOnlyHint") && hints["destructiveHint"] !== true);
  const repeatable = readOnly || options.repeatable.has(remote.name) || says("idempotentHint");
  const approvalMode = options.approvalFor(remote.name);
  return tool({
    name,
    ...(typeof title === "string" && { title }),
    description: typeof description === "string" ? description : "",
    parameters: schemaOf(inputSchema),
    owner: label,
    trust: "external",
    ...(readOnly && { readOnly }),
    ...(destructive && !readOnly && { destructive }),
    ...(approvalMode !== undefined && { approvalMode }),
    execute: (args, context) =>
      callTool({ server, tool: remote, repeatable, arguments: args as JsonObject, context }),
  }) as FunctionTool;
}

/** As the server has written it, but for what an object without members leaves out. */
function schemaOf(inputSchema: unknown): JsonObject {
  if (!isJsonObject(inputSchema)) return { type: "object", properties: {} };
  const { type, properties } = inputSchema;
  if (type === "object" && properties === undefined) return { ...inputSchema, properties: {} };
  return inputSchema;
}
