import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject } from "@tunic/core";
import { answerServer } from "./answer-server.js";
import { type AdapterTerms, scopeOf } from "./call-scope.js";
import type { ClientIdentity } from "./client-identity.js";
import { closeClient, listen, type SdkListeners } from "./listen.js";
import type { McpClient, McpHooks } from "./mcp-client.js";
import { readPage, readServerInfo } from "./read-answers.js";
import { connected, requestSettings, runRequest } from "./run-request.js";

/** Connects with the first line of the SDK: revisions up to 2025-11-25, WebSocket too. */
export async function openSdk1(
  transport: Transport,
  identity: ClientIdentity,
  hooks: McpHooks,
  connection: symbol | undefined,
  signal: AbortSignal,
): Promise<McpClient> {
  const client = new Client({ ...identity }, { capabilities: { ...hooks.capabilities } });
  const { requests = {} } = hooks;
  client.fallbackRequestHandler = async ({ method, params }, extra) => {
    const handler = Object.hasOwn(requests, method) ? requests[method] : undefined;
    // The SDK's own error would say its code in its text, too.
    if (handler === undefined) throw Object.assign(new Error("Method not found"), { code: -32601 });
    const origin = scopeOf(connection)?.origin;
    return await answerServer(hooks, handler, params, { signal: extra.signal, origin });
  };
  const opened = adaptSdk1(client, hooks, { owned: true, connection });
  return connected(opened, signal, (settings) => client.connect(transport, settings));
}

/** A client of the first line. */
export function adaptSdk1(
  client: Client,
  hooks: McpHooks,
  { owned, connection }: AdapterTerms,
): McpClient {
  listen(client as SdkListeners, hooks, connection);
  const request: McpClient["request"] = (method, params, options = {}) =>
    runRequest(options, connection, (signal, scope) => {
      const settings = requestSettings(options, signal, scope);
      const message = { method, ...(params && { params }) };
      return client.request(message, ResultSchema, settings) as Promise<JsonObject>;
    });
  return {
    get server() {
      return readServerInfo(client.getServerVersion(), {
        instructions: client.getInstructions(),
        protocolVersion: protocolVersionOf(client),
        capabilities: client.getServerCapabilities(),
      });
    },
    request,
    async listTools(cursor, options) {
      return readPage(await request("tools/list", cursor ? { cursor } : {}, options), "tools");
    },
    callTool({ name, arguments: args, meta, params }, options) {
      const all = { ...params, name, arguments: args, ...(meta && { _meta: meta }) };
      return request("tools/call", all, options);
    },
    async notify(method, params) {
      await client.notification({ method, ...(params && { params: { ...params } }) });
    },
    async close() {
      if (owned) await closeClient(client);
    },
  };
}

function protocolVersionOf({ transport }: Client): string | undefined {
  const version: unknown = transport && Reflect.get(transport, "protocolVersion");
  return typeof version === "string" ? version : undefined;
}
