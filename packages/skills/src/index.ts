// The public surface of @tunic/skills. What is named here is API; nothing else is.

export {
  ClassSkill,
  type ClassSkillOptions,
  type ClassSkillScriptOptions,
  type SkillPartOptions,
  type SkillResourceDecorator,
  type SkillScriptDecorator,
} from "./class-skill.js";
export {
  type DefineSkillOptions,
  defineSkill,
  type ResourceInit,
  type SkillScriptOptions,
  skillScript,
} from "./define-skill.js";
export { type FixedSkill, fixSkill } from "./frontmatter/fix-skill.js";
export {
  loadSkill,
  type ParsedSkill,
  type SkillFile,
  validateSkill,
} from "./frontmatter/parse-skill.js";
export type {
  ListMcpSkills,
  McpResourceContents,
  McpSkillsClient,
} from "./mcp/mcp-client.js";
export type { McpSkillsLimits } from "./mcp/mcp-server.js";
export { type McpSkillsOptions, mcpSkills } from "./mcp/mcp-skills.js";
export {
  allToolsAutoApprovalRule,
  readOnlyToolsAutoApprovalRule,
  type SkillAction,
  type SkillApproval,
  skillAutoApprovalRule,
  trustedSkillsAutoApprovalRule,
} from "./provider/auto-approval.js";
export { DEFAULT_SKILLS_INSTRUCTION_PROMPT } from "./provider/skills-prompt.js";
export type { LimitableTool, ToolNames } from "./provider/tool-words.js";
export type {
  Skill,
  SkillContext,
  SkillFingerprint,
  SkillFrontmatter,
  SkillListing,
  SkillResource,
  SkillScript,
  SkillsSource,
} from "./skill.js";
export { describeProblem, type SkillProblem } from "./skill-problem.js";
export { SkillsProvider, type SkillsProviderOptions } from "./skills-provider.js";
export { aggregateSkills } from "./sources/aggregate-skills.js";
export { type CachedSkills, type CacheSkillsOptions, cacheSkills } from "./sources/cache-skills.js";
export { deduplicateSkills } from "./sources/deduplicate-skills.js";
export { filterSkills } from "./sources/filter-skills.js";
export { optionalSkills } from "./sources/optional-skills.js";
export type { SkillsInput } from "./sources/skills-input.js";
