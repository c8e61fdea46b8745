import { type FunctionTool, isJsonObject, type JsonObject, tool } from "@tunic/core";
import { approvalOf } from "../approval-option.js";
import { callTool } from "../calls/call-tool.js";
import type { McpServer } from "../connection/mcp-server.js";
import { plainText } from "../plain-text.js";
import { shortened } from "../transports/noise-log.js";
import { quickSchema } from "./pattern-check.js";
import type { LeftOut, RemoteTool } from "./remote-tool.js";

/** A tool, and what runs are told of how it was made. */
export interface MadeTool {
  readonly tool: FunctionTool;
  readonly remark?: LeftOut;
}

/**
 * A server's tool as one of an agent. What the server says about it can only restrict: `destructiveHint` makes it
 * wait its turn; that it changes nothing, or may run twice, the options have to say.
 *
 * @param name For the model.
 * @throws ConfigurationError where its schema is none.
 */
export function makeTool(server: McpServer, remote: RemoteTool, name: string): MadeTool {
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
  const approvalMode = approvalOf(options.approval, remote.name);
  const { schema, dropped } = quickSchema(schemaOf(inputSchema), server.patterns.isQuick);
  const made = tool({
    name,
    ...(typeof title === "string" && { title: plainText(title) }),
    description: typeof description === "string" ? description : "",
    parameters: schema,
    owner: label,
    trust: "external",
    ...(readOnly && { readOnly }),
    ...(destructive && !readOnly && { destructive }),
    ...(approvalMode !== undefined && { approvalMode }),
    execute: (args, context) =>
      callTool({ server, tool: remote, repeatable, arguments: args as JsonObject, context }),
  }) as FunctionTool;
  return dropped.length === 0
    ? { tool: made }
    : { tool: made, remark: unchecked(remote.name, dropped) };
}

function unchecked(remoteName: string, [first = "", ...others]: readonly string[]): LeftOut {
  const [tool, pattern] = [remoteName, first].map((text) => JSON.stringify(shortened(text, 100)));
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return {
    code: "mcp_pattern_unchecked",
    message: `The tool ${tool} has the pattern ${pattern}${more}, which might take for ever to run: it is told to the model, and not checked here.`,
  };
}

/** As the server has written it, but for what an object without members leaves out. */
function schemaOf(inputSchema: unknown): JsonObject {
  if (!isJsonObject(inputSchema)) return { type: "object", properties: {} };
  const { type, properties } = inputSchema;
  if (type === "object" && properties === undefined) return { ...inputSchema, properties: {} };
  return inputSchema;
}
