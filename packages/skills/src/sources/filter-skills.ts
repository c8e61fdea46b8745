import type { Skill, SkillContext, SkillsSource } from "../skill.js";

/**
 * Leaves out the skills of which `keep` says false. It may ask whose run it is. Where it throws, listing fails:
 * nobody gets to see what was not decided. The problems of the source stay.
 */
export function filterSkills(
  source: SkillsSource,
  keep: (skill: Skill, context: SkillContext) => boolean | Promise<boolean>,
): SkillsSource {
  return {
    async list(context) {
      const { skills, problems } = await source.list(context);
      const kept = await Promise.all(skills.map(async (skill) => await keep(skill, context)));
      return { skills: skills.filter((_, at) => kept[at] === true), problems };
    },
  };
}
