import type { Skill } from "../skill.js";
import type { SkillProblem } from "../skill-problem.js";
import { type CheckedSource, oneSource, type SkillsInput } from "./skills-input.js";

/**
 * One skill for each name, whatever its case: the first that the source lists. Each further one is a warning
 * (`duplicate_skill`) that names both.
 *
 * @throws ConfigurationError `invalid_skills` for what is neither skill nor source.
 */
export function deduplicateSkills(source: SkillsInput): CheckedSource {
  const one = oneSource(source);
  return {
    async list(context) {
      const { skills, problems } = await one.list(context);
      const first = new Map<string, Skill>();
      const doubles: SkillProblem[] = [];
      for (const skill of skills) {
        const key = skillKey(skill.frontmatter.name);
        const other = first.get(key);
        if (other === undefined) first.set(key, skill);
        else doubles.push(duplicate(skill, other));
      }
      return { skills: [...first.values()], problems: [...problems, ...doubles] };
    },
  };
}

/** What two names have in common that mean one skill. */
export function skillKey(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

function duplicate(skill: Skill, first: Skill): SkillProblem {
  return {
    severity: "warning",
    code: "duplicate_skill",
    message: `The skill "${skill.frontmatter.name}" is left out: "${first.frontmatter.name}" from ${first.origin} comes first.`,
    file: skill.origin,
  };
}
