import { ConfigurationError, type FunctionTool, isJsonObject, type JsonObject } from "@tunic/core";
import type { McpClient } from "../client/mcp-client.js";
import { createLatest, type Latest } from "../connection/latest.js";
import type { McpServer } from "../connection/mcp-server.js";
import { askForList, promptList } from "../offers/ask-server.js";
import { offerTool } from "../offers/offer-tool.js";
import { askForPrompt, promptAsResult } from "../offers/read-offer.js";
import { plainText } from "../plain-text.js";
import type { LocalTools } from "../tools/local-tools.js";
import { strayNames } from "../tools/named-tools.js";
import { type LeftOut, type RemoteTool, readRemoteTools } from "../tools/remote-tool.js";
import { toolName } from "../tools/tool-name.js";
import { shortened } from "../transports/noise-log.js";
import type { McpFeature } from "./feature.js";

/**
 * A server's prompts as tools, `<prefix>_prompt_<name>`, that say what the prompt says. A list that changes counts
 * from the next round on, as that of tools does.
 *
 * @param wanted Which of them, by the server's own names.
 */
export function promptsFeature(
  wanted: ReadonlySet<string> | undefined,
  toolNamePrefix: string | undefined,
): McpFeature {
  const made = new Map<string, { readonly key: string; readonly tool: FunctionTool | LeftOut }>();
  let latest: Latest<LocalTools> | undefined;
  let of: McpClient | undefined;

  function toolFor(server: McpServer, prompt: RemoteTool): FunctionTool | LeftOut {
    const known = made.get(prompt.name);
    if (known?.key === prompt.key) return known.tool;
    const tool = tryMake(server, prompt, toolNamePrefix ?? server.label);
    made.set(prompt.name, { key: prompt.key, tool });
    return tool;
  }

  async function load(server: McpServer): Promise<LocalTools> {
    const items = await askForList(server, promptList, {});
    const remote = readRemoteTools(items, server.options.limits.maxSchemaBytes, "prompt");
    const tools: FunctionTool[] = [];
    const stray =
      wanted && strayNames("prompts", wanted, remote.names, toolNamePrefix ?? server.label);
    const leftOut = [
      ...(stray === undefined ? [] : [{ code: "mcp_unknown_prompt", message: stray }]),
      ...remote.leftOut,
    ];
    for (const prompt of remote.tools.values()) {
      if (wanted !== undefined && !wanted.has(prompt.name)) continue;
      const tool = toolFor(server, prompt);
      if ("type" in tool) tools.push(tool);
      else leftOut.push(tool);
    }
    return { tools, leftOut, optionNames: [...remote.names] };
  }

  return {
    notifications: { "notifications/prompts/list_changed": () => latest?.changed() },
    async tools(server) {
      latest ??= createLatest(
        () => load(server),
        (error) => {
          const why = error instanceof Error ? error.message : String(error);
          const data = `The changed list of prompts could not be read: ${why}`;
          server.log({ level: "warning", logger: "prompts", data });
        },
      );
      const client = server.connection.current ?? (await server.connection.acquire());
      // What another connection has said is not known of this one.
      if (of !== client) latest.forget();
      of = client;
      return latest.fresh ?? latest.get();
    },
  };
}

function tryMake(server: McpServer, prompt: RemoteTool, prefix: string): FunctionTool | LeftOut {
  const { name, definition } = prompt;
  const { title, description } = definition;
  try {
    return offerTool(server, {
      name: toolName(prefix, `prompt_${name}`),
      optionName: name,
      ...(typeof title === "string" && { title: plainText(title) }),
      description: typeof description === "string" ? description : "",
      parameters: schemaOf(definition),
      ask: async (args, options) => promptAsResult(await askForPrompt(server, name, args, options)),
    });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const shown = JSON.stringify(shortened(name, 100));
    const message = `The prompt ${shown} is left out: ${shortened(error.message, 500)}`;
    return { code: "mcp_prompt_unusable", message };
  }
}

/** Arguments of prompts are texts. */
function schemaOf({ arguments: list }: JsonObject): JsonObject {
  const items = Array.isArray(list) ? (list as readonly unknown[]) : [];
  const given = items
    .filter(isJsonObject)
    .filter(
      (each): each is JsonObject & { readonly name: string } => typeof each["name"] === "string",
    );
  return {
    type: "object",
    properties: Object.fromEntries(
      given.map(({ name, description }) => [
        name,
        { type: "string", ...(typeof description === "string" && { description }) },
      ]),
    ),
    required: given.filter(({ required }) => required === true).map(({ name }) => name),
    additionalProperties: false,
  };
}
