// The public surface of @tunic/skills/node. What is named here is API; nothing else is.

export type {
  FileScript,
  FileSkillsOptions,
  ScriptRunner,
  SkillsRoot,
} from "./node/file-options.js";
export { type FileSkillListing, type FileSkillsSource, fileSkills } from "./node/file-skills.js";
export {
  type ProcessScriptRunnerOptions,
  processScriptRunner,
} from "./node/process-script-runner.js";
export type { FileSkill } from "./node/skill-folder.js";
