import type { JsonObject } from "@tunic/core";
import type { Flights } from "../calls/flights.js";
import type { McpClient, McpHooks, McpLogEntry } from "../client/mcp-client.js";
import type { McpServer } from "../connection/mcp-server.js";
import type { ReadOptions } from "../options.js";
import type { LocalTools } from "../tools/local-tools.js";

/**
 * Something of the protocol beside calls of tools, such as sampling, elicitation, roots, prompts or resources.
 * Each is one file in this folder, made from the options; `features.ts` lists them.
 */
export interface McpFeature {
  /** What the client says that it can, merged with that of others. */
  readonly capabilities?: JsonObject | undefined;
  /** Answers to requests of the server. */
  readonly requests?: McpHooks["requests"];
  /** What to do when the server tells something. */
  readonly notifications?: McpHooks["notifications"];
  /** What to do with a connection before it is used. A throw is a failure to connect. */
  readonly connected?: ((client: McpClient) => Promise<void>) | undefined;
  /** Tools beside the server's own, such as those that read its resources. Asked when the server is connected. */
  readonly tools?: ((server: McpServer) => Promise<LocalTools>) | undefined;
}

/** What features know of the server that they are for. */
export interface FeatureTerms {
  readonly label: string;
  readonly settings: ReadOptions;
  readonly flights: Flights;
  readonly log: (entry: McpLogEntry) => void;
}

/** The hooks of all features together. */
export function featureHooks(features: readonly McpFeature[]): McpHooks {
  return {
    capabilities: Object.assign({}, ...features.map(({ capabilities }) => capabilities)),
    requests: Object.assign({}, ...features.map(({ requests }) => requests)),
    notifications: Object.assign({}, ...features.map(({ notifications }) => notifications)),
  };
}
