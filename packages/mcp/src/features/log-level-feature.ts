import { isStateless } from "../calls/call-meta.js";
import type { McpToolsOptions } from "../options.js";
import type { FeatureTerms, McpFeature } from "./feature.js";

/** Tells servers which log messages are wanted. In revision 2026-07-28 each call says so, and no handshake. */
export function logLevelFeature(
  { logLevel: level }: McpToolsOptions,
  { log }: FeatureTerms,
): McpFeature | undefined {
  if (level === undefined) return undefined;
  return {
    async connected(client) {
      if (client.server.capabilities["logging"] === undefined || isStateless(client)) return;
      try {
        await client.request("logging/setLevel", { level });
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        log({ level: "warning", logger: "logging", data: `The level could not be set: ${why}` });
      }
    },
  };
}
