import type { AutomaticDecision, FunctionTool, VerdictContext } from "@tunic/core";
import type { Skill } from "../skill.js";
import { skillNamed, skillsOfRun } from "./run-skills.js";

/** The tools for skills that run nothing. */
export const readingTools: ReadonlySet<string> = new Set([
  "search_skills",
  "load_skill",
  "read_skill_resource",
]);

/**
 * For `toolApproval({ decide: readOnlyToolsAutoApprovalRule })`: skills are loaded and read without asking;
 * scripts are not run.
 */
export function readOnlyToolsAutoApprovalRule(context: VerdictContext): AutomaticDecision {
  return isOwn(context.tool) && readingTools.has(context.tool.name) ? "run" : undefined;
}

/** For `toolApproval({ decide: allToolsAutoApprovalRule })`: scripts are run without asking, too. */
export function allToolsAutoApprovalRule(context: VerdictContext): AutomaticDecision {
  const { tool } = context;
  const isKnown = readingTools.has(tool.name) || tool.name === "run_skill_script";
  return isOwn(tool) && isKnown ? "run" : undefined;
}

/** What is to be done with a skill: load its instructions, read a resource, run a script. */
export type SkillAction = "load" | "read" | "run";

/** Whether something may be done with a skill without asking; anything but `true` asks. */
export type SkillApproval = (skill: Skill, action: SkillAction, context: VerdictContext) => boolean;

/** By the tool that does it. */
export const skillActions: ReadonlyMap<string, SkillAction> = new Map([
  ["load_skill", "load"],
  ["read_skill_resource", "read"],
  ["run_skill_script", "run"],
]);

/**
 * A rule for `toolApproval({ decide })` that decides skill by skill. It is given the very skill that the
 * call would use in this run, and not its name: another one that stands in its place is judged by what it
 * is itself, by its `trust` and `origin`.
 *
 * @param allow Says what needs no question: `(skill, action) => action !== "run" && skill.origin === "code"`.
 */
export function skillAutoApprovalRule(
  allow: SkillApproval,
): (context: VerdictContext) => AutomaticDecision {
  return (context) => {
    const action = skillActions.get(context.tool.name);
    const name = context.arguments["skill_name"];
    if (action === undefined || !isOwn(context.tool) || typeof name !== "string") return undefined;
    const skill = skillNamed(skillsOfRun(context.run)?.skills ?? [], name);
    if (skill === undefined) return undefined;
    return allow(skill, action, context) === true ? "run" : undefined;
  };
}

/**
 * For `toolApproval({ decide: trustedSkillsAutoApprovalRule })`: skills with `trust: "trusted"` are loaded
 * and read without asking. Their scripts ask, and so does everything of others' skills.
 */
export const trustedSkillsAutoApprovalRule = skillAutoApprovalRule(
  ({ trust }, action) => trust === "trusted" && action !== "run",
);

/** A server's tool of the same name is another tool. */
export function isOwn({ owner, trust }: FunctionTool): boolean {
  return owner === undefined && trust !== "external";
}
