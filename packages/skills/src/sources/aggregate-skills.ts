import type { SkillsSource } from "../skill.js";
import { oneSource, type SkillsInput } from "./skills-input.js";

/**
 * Several sources, and skills written in code, as one: all that they list, in the order in which they are
 * written. They are asked at the same time. Where one fails, the whole fails; one to be done without stands in
 * `optionalSkills`. Names may come twice: see `deduplicateSkills`.
 *
 * @throws ConfigurationError `invalid_skills` for what is neither skill nor source.
 */
export function aggregateSkills(...inputs: readonly SkillsInput[]): SkillsSource {
  return oneSource(inputs);
}
