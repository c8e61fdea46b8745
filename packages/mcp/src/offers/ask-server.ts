import type { JsonObject } from "@tunic/core";
import type { McpClient } from "../client/mcp-client.js";
import { readPage } from "../client/read-answers.js";
import { afterFailure } from "../connection/after-failure.js";
import { listPages } from "../connection/list-pages.js";
import type { McpServer } from "../connection/mcp-server.js";
import { overNewConnection } from "../connection/over-new-connection.js";
import { withinMs } from "../connection/within-ms.js";

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Asks a server for what only is read: prompts and resources. Where the connection breaks, it is asked again over
 * a new one.
 *
 * @throws McpError; the reason of the signal, as it is.
 */
export function askServer(
  server: McpServer,
  method: string,
  params: JsonObject,
  options: AskOptions,
): Promise<JsonObject> {
  return overNewConnection(() => askOnce(server, method, params, options), true);
}

async function askOnce(
  server: McpServer,
  method: string,
  params: JsonObject,
  { signal, headers }: AskOptions,
): Promise<JsonObject> {
  const { connection, label, options } = server;
  const { timeoutMs } = options;
  const late = `The MCP server "${label}" did not answer ${method} within ${timeoutMs} ms.`;
  const client = await connection.acquire(signal);
  try {
    const ask = (inner: AbortSignal) => client.request(method, params, { signal: inner, headers });
    const answer = await withinMs(timeoutMs, late, ask, signal);
    connection.succeeded();
    return answer;
  } catch (error) {
    signal?.throwIfAborted();
    throw await afterFailure(server, client, error, headers);
  }
}

/** All that a server lists, or nothing where it has none of it. */
export function askForList(
  server: McpServer,
  list: OfferList,
  options: AskOptions,
): Promise<readonly unknown[]> {
  const { method, member, words } = list;
  // The whole list again, not one page: where a page ends is known to one connection.
  return overNewConnection(async () => {
    const client = await server.connection.acquire(options.signal);
    if (!hasOffers(client, list)) return [];
    return listPages(words, server.options.limits.maxTools, async (cursor) =>
      readPage(await askOnce(server, method, cursor ? { cursor } : {}, options), member),
    );
  }, true);
}

/** A list of the protocol. */
export interface OfferList {
  readonly method: string;
  /** Of the answer. */
  readonly member: string;
  readonly capability: string;
  readonly words: string;
}

export const promptList: OfferList = {
  method: "prompts/list",
  member: "prompts",
  capability: "prompts",
  words: "prompts",
};

export const resourceList: OfferList = {
  method: "resources/list",
  member: "resources",
  capability: "resources",
  words: "resources",
};

export const templateList: OfferList = {
  method: "resources/templates/list",
  member: "resourceTemplates",
  capability: "resources",
  words: "templates of resources",
};

/** A server that does not say that it has something need not know the question. */
export function hasOffers({ server }: McpClient, { capability }: OfferList): boolean {
  return server.capabilities[capability] !== undefined;
}
