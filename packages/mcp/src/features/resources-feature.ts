import { isJsonObject, type JsonObject } from "@tunic/core";
import { readPage } from "../client/read-answers.js";
import type { McpServer } from "../connection/mcp-server.js";
import {
  type AskOptions,
  askForList,
  askServer,
  hasOffers,
  resourceList,
  templateList,
} from "../offers/ask-server.js";
import { offerTool } from "../offers/offer-tool.js";
import { askForResource } from "../offers/read-offer.js";
import { jsonText } from "../results/read-content.js";
import type { LocalTools } from "../tools/local-tools.js";
import { toolName } from "../tools/tool-name.js";
import type { McpFeature } from "./feature.js";

/** A server's resources as two tools: one that lists them, a page at a time, and one that reads one. */
export function resourcesFeature(toolNamePrefix: string | undefined): McpFeature {
  let made: LocalTools | undefined;
  return {
    async tools(server) {
      const client = server.connection.current ?? (await server.connection.acquire());
      if (!hasOffers(client, resourceList)) return none;
      made ??= { ...none, tools: makeTools(server, toolNamePrefix ?? server.label) };
      return made;
    },
  };
}

const none: LocalTools = {
  tools: [],
  leftOut: [],
  optionNames: ["list_resources", "read_resource"],
};

function makeTools(server: McpServer, prefix: string): LocalTools["tools"] {
  const list = offerTool(server, {
    name: toolName(prefix, "list_resources"),
    optionName: "list_resources",
    description: `Lists what can be read of "${server.label}": resources with their URIs, and templates of URIs. More of them come with the cursor of the page before.`,
    parameters: {
      type: "object",
      properties: { cursor: { type: "string", description: "`nextCursor` of the page before" } },
      additionalProperties: false,
    },
    ask: ({ cursor }, options) =>
      listResources(server, typeof cursor === "string" ? cursor : "", options),
  });
  const read = offerTool(server, {
    name: toolName(prefix, "read_resource"),
    optionName: "read_resource",
    description: `Reads a resource of "${server.label}" by its URI.`,
    parameters: {
      type: "object",
      properties: { uri: { type: "string" } },
      required: ["uri"],
      additionalProperties: false,
    },
    ask: ({ uri }, options) => askForResource(server, String(uri), options),
  });
  return [list, read];
}

async function listResources(
  server: McpServer,
  cursor: string,
  options: AskOptions,
): Promise<JsonObject> {
  const params = cursor === "" ? {} : { cursor };
  const answer = await askServer(server, resourceList.method, params, options);
  const { items, nextCursor } = readPage(answer, resourceList.member);
  // Templates are few: all of them, once.
  const templates = cursor === "" ? await templatesOf(server, options) : [];
  const text = jsonText({
    resources: items.filter(isJsonObject).map(shown),
    ...(templates.length > 0 && { resourceTemplates: templates }),
    ...(nextCursor !== undefined && { nextCursor }),
  });
  return { content: [{ type: "text", text }] };
}

/** Many servers have none, and say so with an error. */
async function templatesOf(server: McpServer, options: AskOptions): Promise<readonly JsonObject[]> {
  try {
    const items = await askForList(server, templateList, options);
    return items.filter(isJsonObject).map(shown);
  } catch (error) {
    options.signal?.throwIfAborted();
    const data = `The templates of resources could not be listed: ${error instanceof Error ? error.message : String(error)}`;
    server.log({ level: "warning", logger: "resources", data });
    return [];
  }
}

const telling = ["uri", "uriTemplate", "name", "title", "description", "mimeType", "size"];

/** Without icons, and what else is for people. */
function shown(item: JsonObject): JsonObject {
  const members = telling.flatMap((member) => {
    const value = item[member];
    return value === undefined ? [] : [[member, value] as const];
  });
  return Object.fromEntries(members);
}
