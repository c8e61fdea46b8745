import { ConfigurationError, createStateKey, type RunContext } from "@tunic/core";
import type { Skill } from "../skill.js";
import { skillKey } from "../sources/deduplicate-skills.js";
import type { SkillSearch } from "./skill-search.js";

/** The skills of one run. */
export interface RunSkills {
  /** Who provides them. */
  readonly provider: object;
  readonly skills: readonly Skill[];
  readonly search: () => SkillSearch;
}

const key = createStateKey<{ current?: RunSkills }>("skills", () => ({}));

/** Whoever looks at a run looks at the very objects that its tools use; undefined where it has none. */
export function skillsOfRun(run: RunContext): RunSkills | undefined {
  return run.state.get(key).current;
}

/**
 * One provider of an agent has skills at most: its tools have fixed names.
 *
 * @throws ConfigurationError `two_skills_providers`.
 */
export function setSkillsOfRun(run: RunContext, current: RunSkills): void {
  const other = skillsOfRun(run);
  if (other !== undefined && other.provider !== current.provider) {
    throw new ConfigurationError(
      "two_skills_providers",
      "An agent has one SkillsProvider at most. Put all skills into one: new SkillsProvider({ skills: [first, second] }).",
    );
  }
  run.state.set(key, { current });
}

/** The skill that the tools of a run take for a name of the model's. */
export function skillNamed(skills: readonly Skill[], name: string): Skill | undefined {
  const parts = skills.map((skill) => ({ name: skill.frontmatter.name, skill }));
  return named(parts, name)?.skill;
}

/** As it is written, or else whatever its case. A name of the model's is never made into a path. */
export function named<Part extends { readonly name: string }>(
  parts: readonly Part[],
  name: string,
): Part | undefined {
  const wanted = skillKey(name.trim());
  return (
    parts.find((part) => part.name === name) ?? parts.find((part) => skillKey(part.name) === wanted)
  );
}
