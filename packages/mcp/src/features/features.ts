import type { McpToolsOptions } from "../options.js";
import { elicitationFeature } from "./elicitation-feature.js";
import type { FeatureTerms, McpFeature } from "./feature.js";
import { logLevelFeature } from "./log-level-feature.js";
import { rootsFeature } from "./roots-feature.js";
import { samplingFeature } from "./sampling-feature.js";

/** The features that the options ask for. */
export function featuresFor(options: McpToolsOptions, terms: FeatureTerms): readonly McpFeature[] {
  const features = [
    elicitationFeature(options, terms),
    samplingFeature(options, terms),
    rootsFeature(options, terms),
    logLevelFeature(options, terms),
  ];
  return features.filter((feature) => feature !== undefined);
}
