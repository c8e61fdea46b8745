import type { Client, RequestOptions, Transport } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject } from "@tunic/core";
import { answerServer } from "./answer-server.js";
import { type AdapterTerms, type CallScope, scopeOf } from "./call-scope.js";
import type { StopSignal } from "./cancellation.js";
import type { ClientIdentity } from "./client-identity.js";
import { closeClient, listen, notify, type SdkListeners } from "./listen.js";
import type { McpClient, McpHooks, McpRequestOptions, McpToolCall } from "./mcp-client.js";
import { readPage, readServerInfo } from "./read-answers.js";
import { connected, requestSettings, runRequest } from "./run-request.js";

/** The module, where it is installed. */
export type Sdk2 = typeof import("@modelcontextprotocol/client");

/** How a server is asked which revisions it speaks. */
export interface Negotiation {
  /** `auto`: the newest that both speak. `legacy`: up to 2025-11-25, without asking first. */
  readonly mode: "auto" | "legacy";
  /** How long a server may leave the question unanswered that older ones do not know. */
  readonly probeTimeoutMs: number;
  /** Where it makes an HTTP request for each of ours. */
  readonly connection: symbol | undefined;
}

/** Connects with the second line of the SDK, which speaks revision 2026-07-28 too. */
export async function openSdk2(
  sdk: Sdk2,
  transport: Transport,
  identity: ClientIdentity,
  hooks: McpHooks,
  { mode, probeTimeoutMs, connection }: Negotiation,
  signal: AbortSignal,
): Promise<McpClient> {
  const changed = (list: "tools" | "prompts" | "resources") => ({
    autoRefresh: false,
    debounceMs: 0,
    onChanged: () => notify(hooks, `notifications/${list}/list_changed`, {}),
  });
  const client = new sdk.Client(
    { ...identity },
    {
      capabilities: { ...hooks.capabilities },
      versionNegotiation: { mode, probe: { timeoutMs: probeTimeoutMs } },
      listChanged: {
        tools: changed("tools"),
        prompts: changed("prompts"),
        resources: changed("resources"),
      },
    },
  );
  for (const [method, handler] of Object.entries(hooks.requests ?? {})) {
    client.setRequestHandler(method, { params: anySchema }, async (params, { mcpReq }) => {
      const origin = scopeOf(connection)?.origin;
      return await answerServer(hooks, handler, params, { signal: mcpReq.signal, origin });
    });
  }
  const opened = adaptSdk2(client, hooks, { owned: true, connection });
  return connected(opened, signal, (settings) => client.connect(transport, settings));
}

/** A client of the second line. */
export function adaptSdk2(
  client: Client,
  hooks: McpHooks,
  { owned, connection }: AdapterTerms,
): McpClient {
  listen(client as SdkListeners, hooks, connection);
  // A client that was given answers by itself, as its owner has it.
  const settingsOf = (
    options: McpRequestOptions,
    signal: StopSignal | undefined,
    scope: CallScope | undefined,
  ): RequestOptions => ({
    ...requestSettings(options, signal, scope),
    ...(owned && options.allowInputRequired && { allowInputRequired: true }),
  });
  const isModern = (): boolean => client.getProtocolEra() === "modern";
  const request: McpClient["request"] = (method, params, options = {}) =>
    runRequest(options, connection, (signal, scope) => {
      const message = { method, ...(params && { params }) };
      const settings = settingsOf(options, signal, scope);
      return client.request(message, anyObject, settings) as Promise<JsonObject>;
    });
  const modernCall = (call: McpToolCall, options: McpRequestOptions = {}): Promise<JsonObject> =>
    runRequest(options, connection, (signal, scope) => {
      const { name, arguments: args, definition, meta, params } = call;
      // Without its output schema: results are checked by whoever reads them.
      const { outputSchema: _, ...toolDefinition } = definition ?? {};
      const all = { ...params, name, arguments: args, ...(meta && { _meta: meta }) };
      const settings = {
        ...settingsOf(options, signal, scope),
        ...(definition && { toolDefinition: toolDefinition as never }),
      };
      return client.callTool(all, settings) as Promise<unknown> as Promise<JsonObject>;
    });
  return {
    get server() {
      return readServerInfo(client.getServerVersion(), {
        instructions: client.getInstructions(),
        protocolVersion: client.getNegotiatedProtocolVersion(),
        capabilities: client.getServerCapabilities(),
      });
    },
    request,
    async listTools(cursor, options = {}) {
      if (!isModern()) {
        return readPage(await request("tools/list", cursor ? { cursor } : {}, options), "tools");
      }
      // All pages at once, and without the tools that the revision forbids to offer.
      const answer = await runRequest(options, connection, (signal, scope) =>
        client.listTools(undefined, {
          ...settingsOf(options, signal, scope),
          cacheMode: "refresh",
        }),
      );
      return readPage(answer as unknown as JsonObject, "tools");
    },
    callTool(call, options) {
      if (isModern()) return modernCall(call, options);
      const { name, arguments: args, meta, params } = call;
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

/** A Standard Schema that lets everything through: answers are read elsewhere. */
const anySchema = {
  "~standard": { version: 1 as const, vendor: "tunic", validate: (value: unknown) => ({ value }) },
};

const anyObject = {
  "~standard": {
    version: 1 as const,
    vendor: "tunic",
    validate: (value: unknown) =>
      isJsonObject(value) ? { value } : { issues: [{ message: "The answer is no object." }] },
  },
};
