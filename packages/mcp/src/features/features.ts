import type { McpToolsOptions } from "../options.js";
import type { McpFeature } from "./feature.js";
import { promptsFeature } from "./prompts-feature.js";
import { resourcesFeature } from "./resources-feature.js";

/** The features that the options ask for. */
export function featuresFor(options: McpToolsOptions): readonly McpFeature[] {
  const { prompts = false, resources = false, toolNamePrefix } = options;
  const wanted = typeof prompts === "object" ? new Set(prompts) : undefined;
  const features: readonly (McpFeature | false)[] = [
    prompts !== false && promptsFeature(wanted, toolNamePrefix),
    resources !== false && resourcesFeature(toolNamePrefix),
  ];
  return features.filter((feature) => feature !== false);
}
