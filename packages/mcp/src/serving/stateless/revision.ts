import type { JsonObject } from "@tunic/core";

/** The revision without sessions: every request says everything about itself. */
export const statelessRevision = "2026-07-28";

/** Those that begin with a handshake. */
export const handshakeRevisions: ReadonlySet<string> = new Set([
  "2024-10-07",
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
]);

const prefix = "io.modelcontextprotocol/";

/** What stands in the `_meta` of requests, results and notifications. */
export const metaKeys = {
  version: `${prefix}protocolVersion`,
  capabilities: `${prefix}clientCapabilities`,
  client: `${prefix}clientInfo`,
  server: `${prefix}serverInfo`,
  subscription: `${prefix}subscriptionId`,
} as const;

/** Errors that this revision has brought. */
export const headerMismatch = -32020;
export const missingCapability = -32021;
export const unsupportedVersion = -32022;

/** What identifies a request; errors that cannot name theirs have none. */
export type RequestId = string | number | null;

/** A request that has been found to be one. */
export interface StatelessRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: JsonObject;
  /** What the client says that it can do. */
  readonly capabilities: JsonObject;
}
