import { askContext } from "../asking/ask-context.js";
import { readRoots } from "../asking/roots.js";
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
        if (typeof roots !== "function")
          return { roots: (fixed ?? []).map((root) => ({ ...root })) };
        // Outside a call it is nobody's, and no reason to wait.
        const flight = flights.isIdle ? undefined : await flights.whoseRun(origin, signal);
        const list = readRoots(await roots(askContext(label, flight?.context, signal)));
        return { roots: list.map((root) => ({ ...root })) };
      },
    },
  };
}
