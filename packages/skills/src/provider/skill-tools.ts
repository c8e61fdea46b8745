import {
  type ApprovalMode,
  checkArguments,
  type FunctionInvocationContext,
  type FunctionTool,
  type ToolResult,
  tool,
} from "@tunic/core";
import type { Skill, SkillContext } from "../skill.js";
import { skillKey } from "../sources/deduplicate-skills.js";
import {
  answerOf,
  loadedText,
  noArguments,
  scriptAnswer,
  unfitArguments,
  unknown,
} from "./skill-answers.js";
import type { SkillSearch } from "./skill-search.js";
import { skillList } from "./skills-prompt.js";

/** The skills of one run. */
export interface RunSkills {
  readonly skills: readonly Skill[];
  readonly search: () => SkillSearch;
}

/** The skills of a call's run; undefined where it has none. */
export type SkillsOf = (context: FunctionInvocationContext) => RunSkills | undefined;

/** How many skills `search_skills` gives at most. */
const mostFound = 10;

const skillName = { type: "string", description: "As in the list of skills." } as const;

/** Models write a list of words, where a script is a file, if nobody tells them. */
const scriptArguments =
  'An object, as the loaded skill describes it; for words of a command line { "argv": ["--name", "value"] }.';

export function loadSkillTool(skillsOf: SkillsOf, approvalMode: ApprovalMode): FunctionTool {
  return tool({
    name: "load_skill",
    description: "Loads the instructions of a skill.",
    parameters: {
      type: "object",
      properties: { skill_name: skillName },
      required: ["skill_name"],
      additionalProperties: false,
    },
    readOnly: true,
    approvalMode,
    describeCall: ({ skill_name }) => `Load the skill "${skill_name}".`,
    async execute({ skill_name }, context) {
      const skill = findSkill(skillsOf, skill_name, context);
      if ("contents" in skill) return skill;
      const { name, allowedTools } = skill.frontmatter;
      if (allowedTools !== undefined) {
        context.run.notice(
          "skill_allowed_tools",
          `The skill "${name}" names the tools that may run while it is in use (${allowedTools.join(" ")}); this is not enforced.`,
        );
      }
      return answerOf(skill.trust, loadedText(skill, await skill.load(skillContext(context))));
    },
  }) as FunctionTool;
}

export function readSkillResourceTool(
  skillsOf: SkillsOf,
  approvalMode: ApprovalMode,
): FunctionTool {
  return tool({
    name: "read_skill_resource",
    description: "Reads a resource of a skill.",
    parameters: {
      type: "object",
      properties: {
        skill_name: skillName,
        resource_name: { type: "string", description: "As the loaded skill names it." },
      },
      required: ["skill_name", "resource_name"],
      additionalProperties: false,
    },
    readOnly: true,
    approvalMode,
    describeCall: (args) => `Read "${args.resource_name}" of the skill "${args.skill_name}".`,
    async execute({ skill_name, resource_name }, context) {
      const skill = findSkill(skillsOf, skill_name, context);
      if ("contents" in skill) return skill;
      const { resources, trust } = skill;
      const resource =
        named(resources, resource_name) ??
        (await skill.findResource?.(resource_name, skillContext(context)));
      if (resource === undefined)
        return unknown("resource", resource_name, names(resources), trust);
      return answerOf(trust, await resource.read(skillContext(context)));
    },
  }) as FunctionTool;
}

export function runSkillScriptTool(skillsOf: SkillsOf, approvalMode: ApprovalMode): FunctionTool {
  return tool({
    name: "run_skill_script",
    description: "Runs a script of a skill.",
    parameters: {
      type: "object",
      properties: {
        skill_name: skillName,
        script_name: { type: "string", description: "As the loaded skill names it." },
        arguments: { type: "object", description: scriptArguments },
      },
      required: ["skill_name", "script_name"],
      additionalProperties: false,
    },
    // The arguments are those of another schema, which the strict forms cannot say.
    strict: false,
    runsCode: true,
    approvalMode,
    describeCall: (args) => `Run "${args.script_name}" of the skill "${args.skill_name}".`,
    async execute({ skill_name, script_name, arguments: args = {} }, context) {
      const skill = findSkill(skillsOf, skill_name, context);
      if ("contents" in skill) return skill;
      const { scripts, trust } = skill;
      const script = named(scripts, script_name);
      if (script === undefined) return unknown("script", script_name, names(scripts), trust);
      const { name, parameters = noArguments } = script;
      const checked = await checkArguments({ name, parameters }, args);
      if (!checked.ok) {
        return unfitArguments(checked.message, parameters, trust);
      }
      return await scriptAnswer(trust, () => script.run(checked.input, skillContext(context)));
    },
  }) as FunctionTool;
}

export function searchSkillsTool(skillsOf: SkillsOf): FunctionTool {
  return tool({
    name: "search_skills",
    description: "Finds skills by words; gives their names and descriptions.",
    parameters: {
      type: "object",
      properties: { query: { type: "string", description: "Words of what is to be done." } },
      required: ["query"],
      additionalProperties: false,
    },
    readOnly: true,
    execute({ query }, context) {
      const found = skillsOf(context)?.search()(query, mostFound) ?? [];
      const text = found.length === 0 ? "No skill fits these words; try others." : skillList(found);
      return answerOf(trustOfAll(found), text);
    },
  }) as FunctionTool;
}

/** Looks a skill up in the list of the run, or says which there are. */
function findSkill(
  skillsOf: SkillsOf,
  name: string,
  context: FunctionInvocationContext,
): Skill | ToolResult {
  const { skills = [] } = skillsOf(context) ?? {};
  const parts = skills.map((skill) => ({ name: skill.frontmatter.name, skill }));
  return named(parts, name)?.skill ?? unknown("skill", name, names(parts), trustOfAll(skills));
}

function trustOfAll(skills: readonly Skill[]): Skill["trust"] {
  return skills.every(({ trust }) => trust === "trusted") ? "trusted" : "untrusted";
}

/** As it is written, or else whatever its case. A name of the model's is never made into a path. */
function named<Part extends { readonly name: string }>(
  parts: readonly Part[],
  name: string,
): Part | undefined {
  const wanted = skillKey(name.trim());
  return (
    parts.find((part) => part.name === name) ?? parts.find((part) => skillKey(part.name) === wanted)
  );
}

function names(parts: readonly { readonly name: string }[]): readonly string[] {
  return parts.map(({ name }) => name);
}

function skillContext({ run, session, signal }: FunctionInvocationContext): SkillContext {
  return { run, session, signal };
}
