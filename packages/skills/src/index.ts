// The public surface of @tunic/skills. What is named here is API; nothing else is.

export { type FixedSkill, fixSkill } from "./frontmatter/fix-skill.js";
export {
  loadSkill,
  type ParsedSkill,
  type SkillFile,
  validateSkill,
} from "./frontmatter/parse-skill.js";
export type {
  Skill,
  SkillContext,
  SkillFrontmatter,
  SkillListing,
  SkillResource,
  SkillScript,
  SkillsSource,
} from "./skill.js";
export { describeProblem, type SkillProblem } from "./skill-problem.js";
