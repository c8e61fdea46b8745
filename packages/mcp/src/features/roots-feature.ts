import type { JsonObject } from "@tunic/core";
import { askContext } from "../asking/ask-context.js";
import { type McpRoot, readRoots } from "../asking/roots.js";
import type { McpToolsOptions } from "../options.js";
import type { FeatureTerms, McpFeature } from "./feature.js";

/** Tells servers where they are to work. */
export function rootsFeature(
  { roots }: McpToolsOptions,
  { label, flights }: FeatureTerms,
): McpFeature | undefined {
  if (roots === undefined) return undefined;
  const fixed = typeof roots === "function" ? undefined : readRoots(roots);
  return {
    capabilities: { roots: {} },
    requests: {
      "roots/list": async (_params, { signal, origin }) => {
        if (typeof roots !== "function") return answerWith(fixed);
        // Outside a call it is nobody's, and no reason to wait.
        const behalf = await flights.onBehalfOf(origin, signal);
        return answerWith(readRoots(await roots(askContext(label, behalf, signal))));
      },
    },
  };
}

function answerWith(roots: readonly McpRoot[] = []): JsonObject {
  return { roots: roots.map(({ uri, name }) => (name === undefined ? { uri } : { uri, name })) };
}
