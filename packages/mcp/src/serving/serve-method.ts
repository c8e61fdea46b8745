import { isJsonObject, type JsonObject } from "@tunic/core";
import type { CallingClient } from "./calling-client.js";
import { invalidParams, ProtocolError } from "./protocol-error.js";
import type { RunCall } from "./run-call.js";
import { definitionOf, type ToolsNow } from "./served-tools.js";

/** What all connections of a server share. */
export interface ServerTerms {
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  readonly toolsNow: ToolsNow;
  readonly runCall: RunCall;
  readonly onError: (error: unknown) => void;
}

/** What `tools/list` tells, whatever the revision. */
export function listTools({ toolsNow }: ServerTerms): JsonObject[] {
  return [...toolsNow().values()].map(definitionOf);
}

/**
 * Answers `tools/call`, whatever the revision.
 *
 * @throws ProtocolError for what is no call of a listed tool.
 */
export async function callTool(
  params: JsonObject,
  client: CallingClient,
  { toolsNow, runCall }: ServerTerms,
): Promise<JsonObject> {
  const { name, arguments: args = {} } = params;
  const tool = typeof name === "string" ? toolsNow().get(name) : undefined;
  if (tool === undefined) {
    const named = typeof name === "string" ? `Unknown tool: ${name}` : "`name` must be a text";
    throw new ProtocolError(invalidParams, named);
  }
  if (!isJsonObject(args)) {
    throw new ProtocolError(invalidParams, "`arguments` must be an object");
  }
  return runCall(tool, args, client);
}
