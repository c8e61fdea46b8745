import type { McpToolsOptions } from "../options.js";
import { elicitationFeature } from "./elicitation-feature.js";
import type { FeatureTerms, McpFeature } from "./feature.js";
import { logLevelFeature } from "./log-level-feature.js";
import { promptsFeature } from "./prompts-feature.js";
import { resourcesFeature } from "./resources-feature.js";
import { rootsFeature } from "./roots-feature.js";
import { samplingFeature } from "./sampling-feature.js";

/** The features that the options ask for. */
export function featuresFor(options: McpToolsOptions, terms: FeatureTerms): readonly McpFeature[] {
  const { prompts = false, resources = false, toolNamePrefix } = options;
  const wanted = typeof prompts === "object" ? new Set(prompts) : undefined;
  const features: readonly (McpFeature | false | undefined)[] = [
    elicitationFeature(options, terms),
    samplingFeature(options, terms),
    rootsFeature(options, terms),
    logLevelFeature(options, terms),
    prompts !== false && promptsFeature(wanted, toolNamePrefix),
    resources !== false && resourcesFeature(toolNamePrefix),
  ];
  return features.filter((feature) => feature !== undefined && feature !== false);
}
