import { ConfigurationError } from "@tunic/core";
import type { Skill, SkillsSource } from "../skill.js";

/** Skills as they may be written: single ones, sources, and nested lists of both. */
export type SkillsInput = Skill | SkillsSource | readonly SkillsInput[];

/**
 * The sources that an input is made of, in its order. Skills between two sources make one of their own.
 *
 * @throws ConfigurationError `invalid_skills` for what is neither.
 */
export function sourcesOf(input: SkillsInput): readonly SkillsSource[] {
  const sources: SkillsSource[] = [];
  let loose: Skill[] = [];
  const close = () => {
    if (loose.length > 0) sources.push(fixedSource(loose));
    loose = [];
  };
  for (const each of flat(input)) {
    if (isSource(each)) {
      close();
      sources.push(each);
    } else loose.push(each);
  }
  close();
  return sources;
}

function fixedSource(skills: readonly Skill[]): SkillsSource {
  const listing = Object.freeze({ skills: Object.freeze([...skills]), problems: [] });
  return { list: async () => listing };
}

function flat(input: SkillsInput): readonly (Skill | SkillsSource)[] {
  if (isList(input)) return input.flatMap(flat);
  if (typeof input === "string") {
    throw invalid("a text; for a folder write fileSkills(path) from @tunic/skills/node");
  }
  if (typeof input === "object" && input !== null && (isSource(input) || "frontmatter" in input)) {
    return [input];
  }
  throw invalid(`a ${typeof input}; write a skill, a source, or a list of them`);
}

function isList(input: SkillsInput): input is readonly SkillsInput[] {
  return Array.isArray(input);
}

function isSource(input: Skill | SkillsSource): input is SkillsSource {
  return "list" in input && typeof input.list === "function";
}

function invalid(what: string): ConfigurationError {
  return new ConfigurationError("invalid_skills", `Skills cannot be ${what}.`);
}
