import { isJsonObject, type JsonObject } from "@tunic/core";
import { isDeeperThan } from "../json-depth.js";
import { McpError } from "../mcp-error.js";
import { plainText } from "../plain-text.js";
import { shortened } from "../transports/noise-log.js";
import type { McpLogEntry, McpLogLevel, McpPage, McpServerInfo } from "./mcp-client.js";

/** From the least to the most urgent. */
export const logLevels: ReadonlySet<string> = new Set<McpLogLevel>([
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
]);

export function isLogLevel(level: unknown): level is McpLogLevel {
  return typeof level === "string" && logLevels.has(level);
}

const longestText = 2000;

/** A page of a list whose members stand under `member`. */
export function readPage(answer: JsonObject, member: string): McpPage {
  const { [member]: items, nextCursor } = answer;
  if (!Array.isArray(items)) {
    throw new McpError("mcp_wrong_answer", `The server's list has no \`${member}\`.`);
  }
  // "" is taken for the end, as servers mean it.
  const isLast = typeof nextCursor !== "string" || nextCursor === "";
  return { items, ...(!isLast && { nextCursor }) };
}

/** What a server says of itself, from what it answered the handshake with. */
export function readServerInfo(
  info: unknown,
  rest: Pick<McpServerInfo, "instructions" | "protocolVersion"> & {
    readonly capabilities: unknown;
  },
): McpServerInfo {
  const { name, version } = isJsonObject(info) ? info : {};
  const { capabilities } = rest;
  return {
    ...rest,
    name: typeof name === "string" ? name : "",
    version: typeof version === "string" ? version : "",
    capabilities: isJsonObject(capabilities) ? capabilities : {},
  };
}

/** The parameters of a `notifications/message`. */
export function readLogEntry({ level, logger, data }: JsonObject): McpLogEntry {
  return {
    level: isLogLevel(level) ? level : "info",
    logger: typeof logger === "string" ? plainText(shortened(logger, 100)) : "server",
    data: readLogData(data),
  };
}

const mostLogLevels = 50;
const longestLogData = 20_000;

/** Texts as they can be shown; other data as it is, unless it is a load. */
function readLogData(data: unknown): unknown {
  if (typeof data === "string") return plainText(shortened(data, longestText));
  if (isDeeperThan(data, mostLogLevels)) return "(nested too deeply to be logged)";
  const text = JSON.stringify(data) ?? "null";
  return text.length > longestLogData ? shortened(text, longestText) : data;
}

/** Anything that goes wrong without ending a request. */
export function transportEntry(error: unknown): McpLogEntry {
  const text = error instanceof Error ? error.message : String(error);
  return { level: "debug", logger: "transport", data: plainText(shortened(text, longestText)) };
}
