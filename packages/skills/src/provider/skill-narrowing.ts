import {
  type ChatOptions,
  createStateKey,
  type FunctionInvocationContext,
  isJsonObject,
  type Message,
  type Middleware,
  nearestName,
  type RunContext,
  sameJson,
  type Tool,
  type ToolChoice,
  type ToolResult,
  type VerdictContext,
} from "@tunic/core";
import type { Skill } from "../skill.js";
import { fitsPattern } from "./argument-pattern.js";
import { isOwn, readingTools } from "./auto-approval.js";
import { type LoadedSkill, loadedSkills } from "./loaded-skills.js";
import { skillNamed, skillsOfRun } from "./run-skills.js";
import { failed } from "./skill-answers.js";
import type { AllowedCalls, WordReader } from "./tool-words.js";

/** A skill in use that says which tools may run. */
interface NarrowingSkill {
  /** Of the call that loaded it: what was called beside it was called before the skill was read. */
  readonly callId: string;
  readonly name: string;
  readonly calls: readonly AllowedCalls[];
  /** The skill and what it allows, in words that only this program has written. */
  readonly who: string;
  readonly what: string;
}

/** Keeps the calls of a run within the tools that its skills in use allow. */
export interface SkillNarrowing {
  readonly middleware: Middleware;
  /** What is in use since before this run, by the log. */
  restore(run: RunContext, log: readonly Message[], skills: readonly Skill[]): void;
  /** What a skill names and nobody knows: then it is not to be loaded. */
  refuse(skill: Skill, context: FunctionInvocationContext): ToolResult | undefined;
  /** From now on a skill is in use. Returns what it allows, in words; undefined where it limits nothing. */
  begin(skill: Skill, context: FunctionInvocationContext): string | undefined;
}

/** Of what is listed for people and models. */
const mostNamed = 30;

export function skillNarrowing(provider: string, read: WordReader): SkillNarrowing {
  const key = createStateKey<readonly NarrowingSkill[]>("skills in use", () => []);
  const told = createStateKey<Set<string>>("hosted tools left out", () => new Set());

  const add = (run: RunContext, skill: NarrowingSkill): void => {
    run.state.set(key, [...run.state.get(key), skill]);
  };

  return {
    middleware: {
      name: `${provider}-allowed-tools`,
      async verdict(context, next) {
        const skills = inUse(context);
        if (isTooEarly(context, skills)) return { kind: "deny", message: loadFirst };
        const by = skills.find((skill) => !allows(skill, context));
        return by === undefined ? await next() : { kind: "deny", message: denial(by) };
      },
      async chat(context, next) {
        const skills = context.run.state.get(key);
        if (skills.length > 0) {
          const { options, left } = withoutHosted(context.options, skills);
          context.options = options;
          tellOfLeft(context.run, left, context.run.state.get(told));
        }
        return await next();
      },
    },
    restore(run, log, skills) {
      for (const loaded of loadedSkills(log)) {
        const { provider: by = provider } = loaded.mark ?? {};
        const skill = by === provider ? restored(loaded, skills, read) : undefined;
        if (skill) add(run, skill);
      }
    },
    refuse({ frontmatter, trust }, { run, tools }) {
      const { name, allowedTools = [] } = frontmatter;
      const { unknown, calls } = read(allowedTools, isToolAmong(tools));
      const missing = calls.flatMap((call) => missingOf(call, tools) ?? []);
      if (missing.length > 0 && unknown.length === 0) {
        const told = `The skill ${quoted(name)} is not loaded: what \`toolNames\` of SkillsProvider says of its allowed-tools is not there.`;
        run.notice("skill_allowed_tools", `${told} ${listed([...new Set(missing)])}`);
        return failed("skill_allowed_tools", `${told} Go on without it.`, trust);
      }
      if (unknown.length === 0) return undefined;
      const message = `The skill ${quoted(name)} is not loaded: its allowed-tools hold what this program does not know: ${listed(unknown.map(quoted))}. Go on without it.`;
      run.notice(
        "skill_allowed_tools",
        `${message} Say what they mean with \`toolNames\` of SkillsProvider; a limit in parentheses needs { tool, argument }.`,
      );
      return failed("skill_allowed_tools", message, trust);
    },
    begin({ frontmatter: { name, allowedTools }, trust }, { run, call, tools, signal }) {
      if (allowedTools === undefined) return undefined;
      const { calls } = read(allowedTools, isToolAmong(tools));
      const skill = narrowing(call.callId, name, calls, calls, trust === "trusted");
      // Given up in the meantime: nobody gets to read it.
      if (!signal.aborted) add(run, skill);
      return skill.what;
    },
  };

  /** Those in use that count for a call. */
  function inUse({ run: { state }, batch }: VerdictContext): readonly NarrowingSkill[] {
    const skills = state.get(key);
    if (skills.length === 0) return skills;
    return skills.filter(({ callId }) => !batch.some((call) => call.callId === callId));
  }
}

/** What the log and the list of this run say of a skill together; undefined where it limits nothing. */
function restored(
  { callId, name, mark }: LoadedSkill,
  skills: readonly Skill[],
  read: WordReader,
): NarrowingSkill | undefined {
  const skill = skillNamed(skills, mark?.name ?? name);
  const { allowedTools } = skill?.frontmatter ?? {};
  // Where neither of them knows the skill, nothing is known to be allowed.
  const words = mark ? mark.allowedTools : skill ? allowedTools : [];
  if (words === undefined) return undefined;
  const trusted = skill?.trust === "trusted" && sameJson(words, allowedTools ?? null);
  const { calls } = read(words, () => true);
  const shown = calls.filter(({ mapped }) => trusted || mapped);
  return narrowing(callId, skill?.frontmatter.name ?? name, calls, shown, trusted);
}

function narrowing(
  callId: string,
  name: string,
  calls: readonly AllowedCalls[],
  shown: readonly AllowedCalls[],
  trusted: boolean,
): NarrowingSkill {
  const who = trusted ? `the skill ${quoted(name)}` : "a skill of others";
  const names = shown.map(({ tool, limit }) => {
    if (limit === undefined) return tool;
    return trusted ? `${tool} (${limit.argument}: ${limit.pattern})` : `${tool} (some calls)`;
  });
  const what = listed([...new Set(names)]);
  return { callId, name, calls, who, what };
}

function allows({ name, calls }: NarrowingSkill, context: VerdictContext): boolean {
  const { tool } = context;
  const args = context.arguments;
  const skills = skillsOfRun(context.run)?.skills;
  if (skills !== undefined && isOwn(tool)) {
    if (readingTools.has(tool.name)) return true;
    const of = args["skill_name"];
    if (tool.name === "run_skill_script" && typeof of === "string") {
      if (skillNamed(skills, of)?.frontmatter.name === name) return true;
    }
  }
  return calls.some((each) => {
    if (each.tool !== tool.name) return false;
    if (each.limit === undefined) return true;
    const { argument, pattern } = each.limit;
    return Object.hasOwn(args, argument) && fitsPattern(pattern, args[argument]);
  });
}

const loadFirst =
  "not run: this skill says which tools may run while it is in use. Load it with load_skill first, then run its script.";

/** A script of a skill with limits runs where these hold, and not before. */
function isTooEarly(context: VerdictContext, skills: readonly NarrowingSkill[]): boolean {
  const { tool, run } = context;
  const of = context.arguments["skill_name"];
  if (!isOwn(tool) || tool.name !== "run_skill_script" || typeof of !== "string") return false;
  const { name, allowedTools } = skillNamed(skillsOfRun(run)?.skills ?? [], of)?.frontmatter ?? {};
  return allowedTools !== undefined && !skills.some((skill) => skill.name === name);
}

function denial({ who, what }: NarrowingSkill): string {
  const tools = what === "" ? "" : ` ${what} and`;
  return `not run: while ${who} is in use, only${tools} the tools for skills may run. This holds until the user's next message.`;
}

/** What the service runs by itself is judged by nobody: it is not offered. */
function withoutHosted(
  options: ChatOptions,
  skills: readonly NarrowingSkill[],
): { readonly options: ChatOptions; readonly left: readonly string[] } {
  const { tools = [], toolChoice } = options;
  const kept = tools.filter(
    (tool) => tool.type !== "hosted" || skills.every((skill) => allowsWhole(skill, tool)),
  );
  if (kept.length === tools.length) return { options, left: [] };
  const left = tools.filter((tool) => !kept.includes(tool)).map(({ name }) => name);
  const choice = toolChoice && choiceAmong(toolChoice, kept);
  return { options: { ...options, tools: kept, toolChoice: choice }, left };
}

/** A limit is something that nobody can hold the service to. */
function allowsWhole({ calls }: NarrowingSkill, { name }: Tool): boolean {
  return calls.some(({ tool, limit }) => tool === name && limit === undefined);
}

/** No service takes a choice of what is not there. */
function choiceAmong(choice: ToolChoice, tools: readonly Tool[]): ToolChoice {
  const isThere = isToolAmong(tools);
  if (choice === "required") return tools.length > 0 ? choice : "auto";
  if (typeof choice === "string") return choice;
  if ("name" in choice) return isThere(choice.name) ? choice : "auto";
  const allowed = choice.allowed.filter(isThere);
  return allowed.length > 0 ? { allowed } : "none";
}

function tellOfLeft(run: RunContext, left: readonly string[], told: Set<string>): void {
  const news = left.filter((name) => told.size < told.add(name).size);
  if (news.length === 0) return;
  run.notice(
    "skill_hosted_tools",
    `Left out while a skill is in use that does not allow them: ${news.join(", ")}.`,
  );
}

/** What a name of the program's own says of a tool that there is not so; such a name would block everything. */
function missingOf({ tool: name, limit, mapped }: AllowedCalls, tools: readonly Tool[]) {
  if (!mapped) return undefined;
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) {
    return `There is no tool ${quoted(name)}${hint(
      name,
      tools.map((each) => each.name),
    )}.`;
  }
  if (limit === undefined || tool.type !== "function") return undefined;
  const { properties, additionalProperties } = tool.parameters;
  if (!isJsonObject(properties) || Object.hasOwn(properties, limit.argument)) return undefined;
  if (additionalProperties !== undefined && additionalProperties !== false) return undefined;
  return `The tool ${quoted(name)} has no argument ${quoted(limit.argument)}${hint(limit.argument, Object.keys(properties))}.`;
}

function hint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? "" : `; did you mean ${quoted(nearest)}?`;
}

function isToolAmong(tools: readonly Tool[]): (name: string) => boolean {
  const names = new Set(tools.map(({ name }) => name));
  return (name) => names.has(name);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function listed(parts: readonly string[]): string {
  const more = parts.length > mostNamed ? ` and ${parts.length - mostNamed} more` : "";
  return `${parts.slice(0, mostNamed).join(", ")}${more}`;
}
