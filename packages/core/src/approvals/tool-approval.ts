import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import { canonicalJson } from "../messages/canonical-json.js";
import { isJsonObject, type JsonObject } from "../messages/json.js";
import type { Handler } from "../onion/handler.js";
import type { FunctionTool } from "../tools/tool.js";
import { matches } from "./matches.js";
import type { Verdict, VerdictContext } from "./verdict.js";

/**
 * What is asked about where no rule says anything. `default`: what destroys, and what runs a shell or
 * code; reads, creates and edits run. `readOnly`: every write and every execution. `all`:
 * everything. `full`: nothing, not even what a tool itself wants approved.
 */
export type ApprovalPreset = "default" | "readOnly" | "full" | "all";

/** What becomes of the calls of one tool. */
export interface ToolApprovalRule {
  /** The tool's name. */
  readonly tool: string;
  /**
   * Whose tool it is. Left out, a rule that lets calls run means the program's own tool alone, and one
   * that asks or denies means every tool of the name.
   */
  readonly owner?: string | undefined;
  /** Only calls with exactly these arguments; `{}` is the call without any. Default: all calls. */
  readonly arguments?: JsonObject | undefined;
  /** Only calls in which these arguments are equal, whatever the others are. Excludes `arguments`. */
  readonly matching?: JsonObject | undefined;
  readonly verdict: "run" | "ask" | "deny";
  /** Shown to the person who is asked, or told the model with a denial. */
  readonly reason?: string | undefined;
}

/** What a callback says of a call; undefined: nothing. */
export type AutomaticDecision = Verdict | Verdict["kind"] | undefined;

export interface ToolApprovalOptions {
  /** Default `tool-approval`. */
  readonly name?: string | undefined;
  /** Default `default`. */
  readonly preset?: ApprovalPreset | undefined;
  /** Of those that fit a call, a `deny` counts before an `ask`, and that before a `run`. */
  readonly rules?: readonly ToolApprovalRule[] | undefined;
  /** Asked where no rule fits. Sees the whole call, its arguments, the run and the session. */
  readonly decide?:
    | ((context: VerdictContext) => AutomaticDecision | PromiseLike<AutomaticDecision>)
    | undefined;
}

/** A middleware with a verdict handler. */
export interface ToolApproval {
  readonly name: string;
  readonly verdict: Handler<VerdictContext, Verdict>;
}

/**
 * A middleware that decides by itself which calls run, which are asked about and which are denied: by
 * rules, by a callback, and else by a preset, which reads what tools declare of themselves and never
 * their names. A tool that declares nothing counts as the most dangerous, and one of `trust:
 * "external"` is asked about under every preset but `full`, unless a rule names it and its owner. It
 * never decides about a violation, nor about a call that a person has decided about.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`.
 */
export function toolApproval(options: ToolApprovalOptions = {}): ToolApproval {
  checkOptions(options);
  const { name = "tool-approval", preset = "default" } = options;
  return {
    name,
    async verdict(context, next) {
      const own = await next();
      const violation = own.kind === "ask" && own.violation !== undefined;
      if (own.kind === "deny" || violation || context.decision) return own;
      return (await automatic(context, options)) ?? byPreset(preset, context.tool, own);
    },
  };
}

/** What rules and callback say. */
async function automatic(
  context: VerdictContext,
  { rules = [], decide }: ToolApprovalOptions,
): Promise<Verdict | undefined> {
  const rule = ruleFor(context, rules);
  if (rule) return verdictOf(rule.verdict, rule.reason);
  const decided = await decide?.(context);
  return typeof decided === "string" ? verdictOf(decided, undefined) : decided;
}

/** What a tool itself wants asked about stays so, but under `full`. */
function byPreset(preset: ApprovalPreset, tool: FunctionTool, own: Verdict): Verdict {
  if (preset === "full") return { kind: "run" };
  const reason = whyAsk(preset, tool);
  return reason === undefined || own.kind === "ask" ? own : { kind: "ask", reason };
}

/** Why a preset wants somebody asked about a tool's calls; undefined where it does not. */
function whyAsk(
  preset: Exclude<ApprovalPreset, "full">,
  { readOnly, destructive, runsCode, trust }: FunctionTool,
): string | undefined {
  if (preset === "all") return "every call is asked about";
  if (trust === "external") return "the tool is not this program's own";
  if (runsCode === true) return "it runs a shell or code";
  if (readOnly === true && destructive !== true) return undefined;
  if (preset === "readOnly") return "it may change something";
  if (destructive === false) return undefined;
  return destructive === true ? "it may destroy something" : "the tool does not say what it may do";
}

const strictness = ["deny", "ask", "run"] as const;

function ruleFor(
  context: VerdictContext,
  rules: readonly ToolApprovalRule[],
): ToolApprovalRule | undefined {
  const fitting = rules.filter((rule) => fits(rule, context));
  for (const kind of strictness) {
    const rule = fitting.find((each) => each.verdict === kind);
    if (rule) return rule;
  }
  return undefined;
}

function fits(rule: ToolApprovalRule, { tool, arguments: args }: VerdictContext): boolean {
  if (rule.tool !== tool.name) return false;
  // To run needs the very tool; what holds a call up may mean everybody's of that name.
  const anybodys = rule.verdict !== "run" && rule.owner === undefined;
  if (!anybodys && rule.owner !== tool.owner) return false;
  // A name alone does not tell whose the tool is.
  if (rule.verdict === "run" && tool.trust === "external" && rule.owner === undefined) return false;
  if (rule.arguments) return canonicalJson(rule.arguments) === canonicalJson(args);
  return rule.matching === undefined || matches(rule.matching, args);
}

function verdictOf(kind: Verdict["kind"], reason: string | undefined): Verdict {
  if (kind === "run") return { kind };
  if (kind === "deny") return { kind, message: `not run: ${reason ?? "this is not allowed."}` };
  return { kind, ...(reason !== undefined && { reason }) };
}

const optionNames: ReadonlySet<string> = new Set<keyof ToolApprovalOptions>([
  "name",
  "preset",
  "rules",
  "decide",
]);
const ruleNames: ReadonlySet<string> = new Set<keyof ToolApprovalRule>([
  "tool",
  "owner",
  "arguments",
  "matching",
  "verdict",
  "reason",
]);
const presets: ReadonlySet<unknown> = new Set<ApprovalPreset>([
  "default",
  "readOnly",
  "full",
  "all",
]);

function checkOptions(options: ToolApprovalOptions): void {
  checkOptionNames("toolApproval", options, optionNames);
  const { preset, rules = [], decide } = options;
  if (preset !== undefined && !presets.has(preset)) {
    throw wrong("`preset`", '"default", "readOnly", "full" or "all"');
  }
  if (decide !== undefined && typeof decide !== "function") throw wrong("`decide`", "a function");
  if (!Array.isArray(rules)) throw wrong("`rules`", "a list");
  rules.forEach((rule: ToolApprovalRule, at) => {
    checkRule(rule, `\`rules[${at}]\``);
  });
}

function checkRule(rule: ToolApprovalRule, place: string): void {
  if (!isJsonObject(rule)) throw wrong(place, 'an object such as { tool: "send", verdict: "ask" }');
  checkOptionNames(place, rule, ruleNames);
  const { tool, verdict, matching } = rule;
  const args = rule.arguments;
  if (typeof tool !== "string" || tool.trim() === "") throw wrong(`${place}.tool`, "a tool's name");
  for (const name of ["owner", "reason"] as const) {
    const text = rule[name];
    if (text !== undefined && typeof text !== "string") throw wrong(`${place}.${name}`, "a string");
  }
  if (!strictness.includes(verdict)) throw wrong(`${place}.verdict`, '"run", "ask" or "deny"');
  if (args !== undefined && !isJsonObject(args)) throw wrong(`${place}.arguments`, "an object");
  if (matching === undefined) return;
  if (args !== undefined) throw wrong(place, "a rule with `arguments` or `matching`, not both");
  const values = isJsonObject(matching) ? Object.values(matching) : [];
  if (values.length > 0 && !values.includes(undefined as never)) return;
  throw wrong(
    `${place}.matching`,
    "an object with at least one member; leave it out for all calls",
  );
}

function wrong(what: string, expected: string): ConfigurationError {
  return new ConfigurationError("invalid_option", `toolApproval: ${what} must be ${expected}.`);
}
