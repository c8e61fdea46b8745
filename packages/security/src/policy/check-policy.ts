import type { FunctionTool, Tool } from "@tunic/core";
import { wholeValue } from "../tree/json-path.js";
import { parsePathPattern } from "../tree/path-pattern.js";
import { checkGuards } from "./check-guards.js";
import { checkResult } from "./check-result.js";
import { type CompiledTool, compilePolicy, isLabelInput } from "./compile-policy.js";
import type { EndorseRule, FlowPolicy, ToolFlow } from "./flow-policy.js";
import type { PolicyProblem } from "./policy-problem.js";
import { argumentNames, toolHash, toolKey } from "./tool-identity.js";

/**
 * Looks a policy over against the tools that it is for. Errors are what a secured agent does not begin with.
 *
 * @param tools Without any, only what needs none is looked at.
 *
 * @throws ConfigurationError `flow_policy` for a policy that is none.
 */
export function checkPolicy(given: FlowPolicy, tools: readonly Tool[]): readonly PolicyProblem[] {
  // What was compiled is what counts, whatever became of the object since.
  const { source: policy, tools: compiled } = compilePolicy(given);
  const byKey = new Map(tools.map((tool) => [toolKey(tool), tool]));
  const entries = Object.entries(policy.tools);
  return [
    ...entries.flatMap(([key, flow]) => checkEntry(key, flow, byKey.get(key), tools.length > 0)),
    ...[...compiled.values()].flatMap((tool) => [
      ...checkResult(tool, Object.keys(resultOf(policy, tool))),
      ...checkGuards(tool, policy.tools[tool.key] ?? {}, takesNothing(byKey.get(tool.key))),
    ]),
    ...[...byKey.keys()].filter((key) => !Object.hasOwn(policy.tools, key)).map(missing),
    ...(policy.endorse ?? []).flatMap((rule) => checkEndorse(rule, policy)),
    ...Object.keys(policy.lists ?? {}).flatMap((list) => checkList(list, policy)),
  ];
}

/** The labels of a tool's result by path. */
function resultOf({ tools }: FlowPolicy, { key }: CompiledTool): object {
  const result = tools[key]?.result ?? {};
  return isLabelInput(result) ? { [wholeValue]: result } : result;
}

function takesNothing(tool: Tool | undefined): boolean {
  return tool?.type === "function" && argumentNames(tool)?.length === 0;
}

function missing(tool: string): PolicyProblem {
  const message = `The policy does not name the tool "${tool}": it is taken for one that changes things and sends data away, with untrusted results.`;
  return { severity: "warning", code: "missing_tool", tool, message };
}

function checkEntry(
  key: string,
  flow: ToolFlow,
  tool: Tool | undefined,
  some: boolean,
): readonly PolicyProblem[] {
  const problems = checkFlow(key, flow);
  if (tool === undefined) {
    if (!some) return problems;
    const message = `The policy names the tool "${key}", which is not among the tools.`;
    return [...problems, { severity: "warning", code: "unused_tool", tool: key, message }];
  }
  if (flow.definition !== undefined && flow.definition !== toolHash(tool)) {
    const message = `The tool "${key}" is not the one that the policy was written for: its definition has the hash "${toolHash(tool)}". Look at it, and write the new hash.`;
    problems.push({ severity: "error", code: "other_definition", tool: key, message });
  }
  return tool.type === "function" ? [...problems, ...checkArguments(key, flow, tool)] : problems;
}

function checkFlow(key: string, flow: ToolFlow): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  const { effects = [], rule, recipients = [], clearance } = flow;
  const flows = rule === "permitted_flow" || rule === "either" || rule === "both";
  if (effects.includes("egress") && flows && recipients.length === 0 && clearance === undefined) {
    const message = `"${key}" sends data away by the rule "${rule}", but has no \`recipients\`: only data of the lowest level gets through.`;
    problems.push({ severity: "warning", code: "no_recipients", tool: key, message });
  }
  return problems;
}

function checkArguments(key: string, flow: ToolFlow, tool: FunctionTool): readonly PolicyProblem[] {
  const names = argumentNames(tool);
  if (names === undefined) return [];
  const paths = [...Object.keys(flow.arguments ?? {}), ...(flow.recipients ?? [])];
  const firsts = paths.flatMap((path) => {
    const [first] = parsePathPattern(path).segments;
    return first?.kind === "member" ? [first.name] : [];
  });
  // Keys are filled in with whole arguments.
  const filled = [...(flow.reads ?? []), ...(flow.writes ?? [])].flatMap((template) =>
    [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name),
  );
  return [...firsts, ...filled].flatMap((name): readonly PolicyProblem[] => {
    if (names.includes(name)) return [];
    const message = `The policy names the argument "${name}" of "${key}", which has: ${names.join(", ") || "none"}.`;
    return [{ severity: "error", code: "unknown_argument", tool: key, message }];
  });
}

function checkEndorse(rule: EndorseRule, policy: FlowPolicy): readonly PolicyProblem[] {
  if (rule.type === "lookup") {
    return rule.results.flatMap((result): readonly PolicyProblem[] => {
      if (result === "*" || Object.keys(policy.tools).some((key) => isPartOf(result, key)))
        return [];
      const message = `A rule lets lookups of "${result}" through, but the policy names no such tool: the rule never applies.`;
      return [{ severity: "warning", code: "unreachable_rule", message }];
    });
  }
  return (rule.into ?? []).flatMap((pattern): readonly PolicyProblem[] => {
    if (pattern === "*" || /^\*\.[^*]/.test(pattern)) return [];
    const at = pattern.lastIndexOf(".");
    const key = at < 0 ? pattern : pattern.slice(0, at);
    const argument = at < 0 ? "" : pattern.slice(at + 1);
    const flow = Object.hasOwn(policy.tools, key) ? policy.tools[key] : undefined;
    if (flow !== undefined && at >= 0 && (argument === "*" || guards(flow, argument))) return [];
    const message = `A rule endorses values into "${pattern}", but the policy guards no such argument: the rule never applies. Patterns are "*", "tool.*", "*.argument" and "tool.argument".`;
    return [{ severity: "warning", code: "unreachable_rule", tool: key, message }];
  });
}

/** Whether a text such as `create_file.id` is about a tool. */
function isPartOf(result: string, key: string): boolean {
  return result.startsWith(key) && /^(?:$|[.[])/.test(result.slice(key.length));
}

/** Whether anything at or inside an argument is guarded. */
function guards({ arguments: flows }: ToolFlow, argument: string): boolean {
  if (flows === undefined) return true;
  return Object.entries(flows).some(([path, { integrity }]) => {
    const [first] = parsePathPattern(path).segments;
    const covers = first?.kind !== "member" || first.name === argument;
    return integrity === "trusted" && covers;
  });
}

function checkList(list: string, { endorse = [] }: FlowPolicy): readonly PolicyProblem[] {
  const used = endorse.some((rule) => rule.type === "selection" && rule.from === list);
  if (used) return [];
  const message = `No rule of \`endorse\` uses the list "${list}".`;
  return [{ severity: "warning", code: "unused_list", message }];
}
