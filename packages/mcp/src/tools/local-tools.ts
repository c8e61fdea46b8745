import { ConfigurationError, type FunctionTool, isJsonObject } from "@tunic/core";
import type { McpServer } from "../connection/mcp-server.js";
import { McpError } from "../mcp-error.js";
import { shortened } from "../transports/noise-log.js";
import { type MadeTool, makeTool } from "./make-tool.js";
import { isOffered } from "./offered.js";
import type { LeftOut, RemoteTool, RemoteTools } from "./remote-tool.js";
import { whyUncheckable } from "./schema-size.js";
import { toolName } from "./tool-name.js";

/** A server's tools as an agent gets them. */
export interface LocalTools {
  readonly tools: readonly FunctionTool[];
  readonly leftOut: readonly LeftOut[];
  /** By which options can name them, where they are no tools of the server's own. */
  readonly optionNames?: readonly string[];
}

/**
 * Makes tools of what a server lists, each once: a definition that has not changed is the same object, so
 * that nothing is converted, hashed or compiled again, and one that has changed is another tool.
 *
 * @param prefix What names begin with.
 * @returns a function that throws McpError `mcp_duplicate_tool` where two tools would have one name.
 */
export function localTools(server: McpServer, prefix: string): (remote: RemoteTools) => LocalTools {
  const made = new Map<string, { readonly key: string; readonly tool: MadeTool | LeftOut }>();
  const lists = new WeakMap<RemoteTools, LocalTools>();

  function toolFor(remote: RemoteTool): MadeTool | LeftOut {
    const known = made.get(remote.name);
    if (known?.key === remote.key) return known.tool;
    const tool = tryMake(server, remote, toolName(prefix, remote.name));
    made.set(remote.name, { key: remote.key, tool });
    return tool;
  }

  /** Throws where a tool that came before has the name. */
  function claim(owners: Map<string, string>, name: string, remoteName: string): void {
    const other = owners.get(name);
    if (other !== undefined) throw oneName(server.label, name, other, remoteName);
    owners.set(name, remoteName);
  }

  return (remote) => {
    const known = lists.get(remote);
    if (known !== undefined) return known;
    const tools: FunctionTool[] = [];
    const leftOut = [...remote.leftOut];
    const owners = new Map<string, string>();
    for (const each of remote.tools.values()) {
      if (!isOffered(each.name, server.options)) continue;
      const made = toolFor(each);
      if (!("tool" in made)) {
        leftOut.push(made);
        continue;
      }
      const { tool, remark } = made;
      if (remark !== undefined) leftOut.push(remark);
      claim(owners, tool.name, each.name);
      tools.push(tool);
    }
    const local = { tools: Object.freeze(tools), leftOut };
    lists.set(remote, local);
    return local;
  };
}

function tryMake(server: McpServer, remote: RemoteTool, name: string): MadeTool | LeftOut {
  const leave = (why: string): LeftOut => {
    const shown = JSON.stringify(shortened(remote.name, 100));
    const message = `The tool ${shown} is left out: ${shortened(why, 500)}`;
    return { code: "mcp_tool_unusable", message };
  };
  const { inputSchema } = remote.definition;
  const why = isJsonObject(inputSchema) ? whyUncheckable(inputSchema) : undefined;
  if (why !== undefined) return leave(`${why}.`);
  try {
    return makeTool(server, remote, name);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return leave(error.message);
  }
}

function oneName(label: string, name: string, one: string, other: string): McpError {
  const shown = [one, other].map((each) => JSON.stringify(shortened(each, 100)));
  return new McpError(
    "mcp_duplicate_tool",
    `The tools ${shown.join(" and ")} of the server "${label}" would both be "${name}". Leave one out with blockedTools.`,
  );
}
