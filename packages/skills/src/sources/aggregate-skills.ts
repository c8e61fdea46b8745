import type { SkillsSource } from "../skill.js";
import { type SkillsInput, sourcesOf } from "./skills-input.js";

/**
 * Several sources, and skills written in code, as one: all that they list, in the order in which they are
 * written. They are asked at the same time. Where one fails, the whole fails; what is to be done without wants
 * a source around it that says so. Names may come twice: see `deduplicateSkills`.
 *
 * @throws ConfigurationError `invalid_skills` for what is neither skill nor source.
 */
export function aggregateSkills(...inputs: readonly SkillsInput[]): SkillsSource {
  const sources = sourcesOf(inputs);
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return only;
  return {
    async list(context) {
      const listings = await Promise.all(sources.map((source) => source.list(context)));
      return {
        skills: listings.flatMap(({ skills }) => skills),
        problems: listings.flatMap(({ problems }) => problems),
      };
    },
  };
}
