import {
  type ApprovalContext,
  type ApprovalMode,
  checkArguments,
  type FunctionInvocationContext,
  type FunctionTool,
  type JsonObject,
  type ToolResult,
  textContent,
  tool,
} from "@tunic/core";
import type { Skill, SkillContext } from "../skill.js";
import { agreedFingerprint, calledSkill } from "./called-skill.js";
import { loadedMark } from "./loaded-skills.js";
import { named, skillNamed, skillsOfRun } from "./run-skills.js";
import {
  answerOf,
  loadedText,
  noArguments,
  scriptAnswer,
  unfitArguments,
  unknown,
} from "./skill-answers.js";
import type { SkillNarrowing } from "./skill-narrowing.js";
import { quoted, skillSummary } from "./skill-summary.js";
import { skillList } from "./skills-prompt.js";

/** How many skills `search_skills` gives at most. */
const mostFound = 10;

const skillName = { type: "string", description: "As in the list of skills." } as const;

/** Models write a list of words, where a script is a file, if nobody tells them. */
const scriptArguments =
  'An object, as the loaded skill describes it; for words of a command line { "argv": ["--name", "value"] }.';

export function loadSkillTool(
  provider: string,
  narrowing: SkillNarrowing,
  approvalMode: ApprovalMode,
): FunctionTool {
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
    describeCall: (args, context) => described("load_skill", args, context),
    async execute({ skill_name }, context) {
      const skill = findSkill(skill_name, context);
      if ("contents" in skill) return skill;
      const refusal = narrowing.refuse(skill, context);
      if (refusal) return refusal;
      const body = await skill.load(await agreedContext(context, { skill_name }));
      const text = loadedText(skill, body, narrowing.begin(skill, context));
      const additionalProperties = loadedMark(provider, skill);
      return answerOf(skill.trust, textContent(text, { additionalProperties }));
    },
  }) as FunctionTool;
}

export function readSkillResourceTool(approvalMode: ApprovalMode): FunctionTool {
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
    describeCall: (args, context) => described("read_skill_resource", args, context),
    async execute({ skill_name, resource_name }, context) {
      const skill = findSkill(skill_name, context);
      if ("contents" in skill) return skill;
      const { resources, trust } = skill;
      const resource =
        named(resources, resource_name) ??
        (await skill.findResource?.(resource_name, skillContext(context)));
      if (resource === undefined)
        return unknown("resource", resource_name, names(resources), trust);
      const agreed = await agreedContext(context, { skill_name, resource_name });
      return answerOf(trust, await resource.read(agreed));
    },
  }) as FunctionTool;
}

export function runSkillScriptTool(approvalMode: ApprovalMode): FunctionTool {
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
    describeCall: (args, context) => described("run_skill_script", args, context),
    async execute({ skill_name, script_name, arguments: args = {} }, context) {
      const skill = findSkill(skill_name, context);
      if ("contents" in skill) return skill;
      const { scripts, trust } = skill;
      const script = named(scripts, script_name);
      if (script === undefined) return unknown("script", script_name, names(scripts), trust);
      const { name, parameters = noArguments } = script;
      const checked = await checkArguments({ name, parameters }, args);
      if (!checked.ok) {
        return unfitArguments(checked.message, parameters, trust);
      }
      const agreed = await agreedContext(context, { skill_name, script_name });
      return await scriptAnswer(trust, () => script.run(checked.input, agreed));
    },
  }) as FunctionTool;
}

export function searchSkillsTool(): FunctionTool {
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
      const found = skillsOfRun(context.run)?.search()(query, mostFound) ?? [];
      const text = found.length === 0 ? "No skill fits these words; try others." : skillList(found);
      return answerOf(trustOfAll(found), text);
    },
  }) as FunctionTool;
}

/** Looks a skill up in the list of the run, or says which there are. */
function findSkill(name: string, { run }: FunctionInvocationContext): Skill | ToolResult {
  const { skills = [] } = skillsOfRun(run) ?? {};
  const existing = skills.map(({ frontmatter }) => frontmatter.name);
  return skillNamed(skills, name) ?? unknown("skill", name, existing, trustOfAll(skills));
}

function trustOfAll(skills: readonly Skill[]): Skill["trust"] {
  return skills.every(({ trust }) => trust === "trusted") ? "trusted" : "untrusted";
}

function names(parts: readonly { readonly name: string }[]): readonly string[] {
  return parts.map(({ name }) => name);
}

/** A call in words; of what there is not, as the model has written it. */
async function described(
  tool: string,
  args: JsonObject,
  { run, call, signal }: ApprovalContext,
): Promise<string> {
  const called = await calledSkill({ run, callId: call.callId, tool, args, signal });
  if (called !== undefined) return skillSummary(called);
  return `Use the skill ${quoted(String(args["skill_name"]))}, which there is not.`;
}

/** With what a person has agreed to, where somebody was asked. */
async function agreedContext(
  context: FunctionInvocationContext,
  args: JsonObject,
): Promise<SkillContext> {
  const { run, signal, call, tool } = context;
  const agreed = await agreedFingerprint({
    run,
    callId: call.callId,
    tool: tool.name,
    args,
    signal,
  });
  return { ...skillContext(context), ...(agreed !== undefined && { agreed }) };
}

function skillContext({ run, session, signal }: FunctionInvocationContext): SkillContext {
  return { run, session, signal };
}
