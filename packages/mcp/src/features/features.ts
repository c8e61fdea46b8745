import type { McpToolsOptions } from "../options.js";
import type { McpFeature } from "./feature.js";

/** The features that the options ask for. */
export function featuresFor(_options: McpToolsOptions): readonly McpFeature[] {
  return [];
}
