import type { JsonObject } from "@tunic/core";
import type { McpClient, McpLogLevel } from "../client/mcp-client.js";

/** Whether each request says what earlier revisions say once, in a handshake. */
export function isStateless({ server }: McpClient): boolean {
  const { protocolVersion } = server;
  return protocolVersion !== undefined && protocolVersion >= "2026-07-28";
}

/** What goes beside the arguments of a call. */
export function callMeta(
  client: McpClient,
  logLevel: McpLogLevel | undefined,
): JsonObject | undefined {
  if (logLevel === undefined || !isStateless(client)) return undefined;
  return { "io.modelcontextprotocol/logLevel": logLevel };
}
