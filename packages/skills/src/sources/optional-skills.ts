import type { SkillsSource } from "../skill.js";
import { oneSource, type SkillsInput } from "./skills-input.js";

/**
 * Skills to be done without: where the source fails, there are none of it in this run, and the failure is an error
 * among the problems (`source_failed`). Without this a source that fails is the end of the run. What stops the run
 * stops this, too.
 *
 * @throws ConfigurationError `invalid_skills` for what is neither skill nor source.
 */
export function optionalSkills(source: SkillsInput): SkillsSource {
  const one = oneSource(source);
  return {
    async list(context) {
      try {
        return await one.list(context);
      } catch (error) {
        context.signal.throwIfAborted();
        const why = error instanceof Error ? error.message : String(error);
        const message = `There are none of these skills in this run. ${why}`;
        return {
          skills: [],
          problems: [{ severity: "error", code: "source_failed", message }],
        };
      }
    },
  };
}
