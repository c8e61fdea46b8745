import { canonicalJson, isJsonObject, type JsonObject } from "@tunic/core";
import { isDeeperThan } from "../json-depth.js";
import { McpError } from "../mcp-error.js";
import { shortened } from "../transports/noise-log.js";

/** Of a definition. Whatever compiles a schema calls itself for each of them. */
const mostLevels = 100;

/** A tool as its server describes it. */
export interface RemoteTool {
  /** The server's own. */
  readonly name: string;
  readonly definition: JsonObject;
  /** All of the definition: a tool whose key is another one is another tool. */
  readonly key: string;
}

/** Something of a server that is left out, and why. */
export interface LeftOut {
  readonly code: string;
  readonly message: string;
}

export interface RemoteTools {
  readonly tools: ReadonlyMap<string, RemoteTool>;
  /** Of all that are listed, those left out, too. */
  readonly names: ReadonlySet<string>;
  readonly leftOut: readonly LeftOut[];
}

/**
 * Reads what a server lists. What is no tool is left out.
 *
 * @param maxBytes Of one definition.
 * @param what The members of the list are, for messages.
 * @throws McpError `mcp_duplicate_tool` where one name has two definitions: the server would choose which one counts.
 */
export function readRemoteTools(
  items: readonly unknown[],
  maxBytes: number,
  what: "tool" | "prompt" = "tool",
): RemoteTools {
  const tools = new Map<string, RemoteTool>();
  const names = new Set<string>();
  const leftOut: LeftOut[] = [];
  const leave = (code: string, message: string): void => {
    leftOut.push({ code, message });
  };
  for (const item of items) {
    const { name } = isJsonObject(item) ? item : {};
    if (!isJsonObject(item) || typeof name !== "string" || name === "") {
      leave("mcp_tool_unreadable", `The server lists a ${what} that has no name.`);
      continue;
    }
    names.add(name);
    const shown = JSON.stringify(shortened(name, 100));
    if (isDeeperThan(item, mostLevels)) {
      leave(
        "mcp_tool_too_large",
        `The ${what} ${shown} is left out: its definition is nested deeper than ${mostLevels} levels.`,
      );
      continue;
    }
    const key = canonicalJson(item);
    if (key.length > maxBytes) {
      leave(
        "mcp_tool_too_large",
        `The ${what} ${shown} is left out: its definition has ${key.length} characters, and at most ${maxBytes} are taken (limits.maxSchemaBytes).`,
      );
      continue;
    }
    const known = tools.get(name);
    if (known !== undefined && known.key !== key) {
      throw new McpError(
        "mcp_duplicate_tool",
        `The server lists two different ${what}s under the name ${shown}.`,
      );
    }
    // The list may have moved while its pages were read: the same tool twice is one tool.
    if (known === undefined) tools.set(name, { name, definition: item, key });
  }
  return { tools, names, leftOut };
}
