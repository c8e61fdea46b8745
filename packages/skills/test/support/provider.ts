import { Agent, type FunctionResultContent, type toolApproval } from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import {
  defineSkill,
  type Skill,
  SkillsProvider,
  type SkillsProviderOptions,
  skillScript,
} from "../../src/index.js";

export const knots = defineSkill({
  name: "knots",
  description: "Ties knots.",
  instructions: "Begin with the bowline.",
  resources: [
    { name: "references/all.md", description: "All of them.", content: "Bowline, reef." },
  ],
  scripts: [
    skillScript({
      name: "tie",
      description: "Ties one.",
      parameters: {
        type: "object",
        properties: { turns: { type: "integer" } },
        required: ["turns"],
        additionalProperties: false,
      },
      run: ({ turns }) => ({ tied: turns }),
    }),
  ],
});
export const theirs: Skill = { ...knots, trust: "untrusted", origin: "a project" };

export const load = { name: "load_skill", arguments: { skill_name: "knots" } };
export const read = {
  name: "read_skill_resource",
  arguments: { skill_name: "knots", resource_name: "references/all.md" },
};
export const run = {
  name: "run_skill_script",
  arguments: { skill_name: "knots", script_name: "tie", arguments: { turns: 3 } },
};
export const free = {
  loadSkillApproval: "never_require",
  readSkillResourceApproval: "never_require",
  runSkillScriptApproval: "never_require",
} as const;

export function agentWith(
  turns: readonly ScriptedTurn[],
  options: Partial<SkillsProviderOptions> = {},
  more: { readonly middleware?: readonly ReturnType<typeof toolApproval>[] } = {},
) {
  const client = new ScriptedChatClient(turns);
  const provider = new SkillsProvider({ skills: knots, ...options });
  return { client, agent: new Agent({ client, contextProviders: [provider], ...more }) };
}

export function text({ contents }: FunctionResultContent): string {
  return contents.map((content) => (content.type === "text" ? content.text : content.type)).join();
}
