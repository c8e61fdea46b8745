import type { ContentLabel } from "../labels/content-label.js";
import type { PathPart } from "../tree/json-path.js";
import { type PathState, parsePathPattern, patternText, stateBelow } from "../tree/path-pattern.js";
import type { CompiledTool } from "./compile-policy.js";
import type { PolicyProblem } from "./policy-problem.js";

/**
 * Looks over what a policy says of a tool's results.
 *
 * @param paths Of the parts that it says something of.
 */
export function checkResult(
  tool: CompiledTool,
  paths: readonly string[],
): readonly PolicyProblem[] {
  return [...trustedNetwork(tool), ...paths.flatMap((path) => hiddenPart(tool, path))];
}

function trustedNetwork({ key, effects, result }: CompiledTool): readonly PolicyProblem[] {
  if (!effects.has("egress") || !effects.has("read") || !result.values.every(isTrusted)) return [];
  const message = `"${key}" reads from a network, and its results are declared trusted: whoever writes there is believed.`;
  return [{ severity: "warning", code: "trusted_network", tool: key, message }];
}

/** What is untrusted is hidden whole, whatever is said of its parts. */
function hiddenPart({ key, result }: CompiledTool, path: string): readonly PolicyProblem[] {
  const { segments } = parsePathPattern(path);
  const states = walked(result.root, segments);
  const around = states.slice(0, -1);
  const own = states.at(-1);
  if (own === undefined || !isTrusted(own.value) || around.every(({ value }) => isTrusted(value))) {
    return [];
  }
  const message = `In the results of "${key}", ${path} is declared trusted, but what it stands in is untrusted and hidden with it. Write what is around it as trusted, and what is beside it as untrusted: { ${besides(segments)} }.`;
  return [{ severity: "warning", code: "hidden_part", tool: key, message }];
}

/** The states on the way to what a path matches. */
function walked(
  root: PathState<ContentLabel>,
  segments: readonly PathPart[],
): readonly PathState<ContentLabel>[] {
  const states = [root];
  let state = root;
  for (const segment of segments) {
    state = stateBelow(state, segment);
    states.push(state);
  }
  return states;
}

/** Labels by path that leave only one part to be seen. */
function besides(segments: readonly PathPart[]): string {
  const entries = [["$", "trusted"]];
  let around = "";
  for (const segment of segments) {
    if (segment.kind === "member") entries.push([`${around}${around && "."}*`, "untrusted"]);
    if (segment.kind === "item") entries.push([`${around}[*]`, "untrusted"]);
    around = `${around}${patternText(segment, around === "")}`;
    entries.push([around, "trusted"]);
  }
  return entries
    .map(([path = "", label]) => `${isName(path) ? path : JSON.stringify(path)}: "${label}"`)
    .join(", ");
}

function isName(path: string): boolean {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(path);
}

function isTrusted({ integrity }: ContentLabel): boolean {
  return integrity === "trusted";
}
