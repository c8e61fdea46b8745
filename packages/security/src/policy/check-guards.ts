import type { PathPart } from "../tree/json-path.js";
import { type PathState, parsePathPattern, stateBelow } from "../tree/path-pattern.js";
import type { CompiledTool } from "./compile-policy.js";
import type { ArgumentFlow, ToolFlow } from "./flow-policy.js";
import type { PolicyProblem } from "./policy-problem.js";

/**
 * Looks for arguments that decide what happens and are not guarded.
 *
 * @param takesNothing Whether it is known that there are no arguments.
 */
export function checkGuards(
  { key, effects, rule, arguments: table }: CompiledTool,
  { arguments: flows = { $: { integrity: "trusted" } }, recipients = [] }: ToolFlow,
  takesNothing: boolean,
): readonly PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  const acts = effects.has("consequential") || effects.has("egress");
  if (!acts || rule === "always" || rule === "permitted_flow" || takesNothing) return problems;
  if (Object.keys(flows).length === 0) {
    const message = `"${key}" changes something or sends data away, and \`arguments\` is empty: none of them is guarded, so untrusted data may decide all that it does. Name those that decide: { to: { integrity: "trusted" } }, or leave \`arguments\` out to guard them all.`;
    problems.push({ severity: "warning", code: "unguarded", tool: key, message });
  }
  if (rule !== "trusted_action") return problems;
  for (const path of recipients) {
    const { segments } = parsePathPattern(path);
    if (isGuarded(table.root, segments) || Object.entries(flows).some(guardsInside(segments)))
      continue;
    const message = `"${key}" goes by the rule "trusted_action", which does not look at \`recipients\`, and its argument ${path} is not guarded: untrusted data may say who receives the call. Write arguments: { ${JSON.stringify(path)}: { integrity: "trusted" } }, or rule: "both".`;
    problems.push({ severity: "warning", code: "unguarded_recipient", tool: key, message });
  }
  return problems;
}

function isGuarded(
  root: PathState<ArgumentFlow | undefined>,
  segments: readonly PathPart[],
): boolean {
  return segments.reduce(stateBelow, root).value?.integrity === "trusted";
}

/** Whether a guard stands at something inside what a path matches, such as `to[*]` inside `to`. */
function guardsInside(
  outer: readonly PathPart[],
): (entry: readonly [string, ArgumentFlow]) => boolean {
  return ([path, { integrity }]) => {
    const { segments } = parsePathPattern(path);
    if (integrity !== "trusted" || segments.length <= outer.length) return false;
    return outer.every((part, at) => JSON.stringify(part) === JSON.stringify(segments[at]));
  };
}
