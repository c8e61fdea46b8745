import type { Skill, SkillContext, SkillsSource } from "../skill.js";
import { oneSource, type SkillsInput } from "./skills-input.js";

/**
 * Leaves out the skills of which `keep` says false. It may ask whose run it is. Where it throws, listing fails:
 * nobody gets to see what was not decided. The problems of the source stay.
 *
 * @throws ConfigurationError `invalid_skills` for what is neither skill nor source.
 */
export function filterSkills(
  source: SkillsInput,
  keep: (skill: Skill, context: SkillContext) => boolean | Promise<boolean>,
): SkillsSource {
  const one = oneSource(source);
  return {
    async list(context) {
      const { skills, problems } = await one.list(context);
      const kept = await Promise.all(skills.map(async (skill) => await keep(skill, context)));
      return { skills: skills.filter((_, at) => kept[at] === true), problems };
    },
  };
}
