import { join } from "node:path";
import { SkillsProvider } from "@tunic/skills";
import { fileSkills } from "@tunic/skills/node";

/** Where the skills of the desk are. */
export const skillsFolder = join(import.meta.dirname, "skills");

/**
 * What the desk knows about its work, for a model that needs it. The folder is a part of this program and nobody
 * else writes there, so nobody is asked before something in it is read. There is nothing to run: no skill here
 * has a script, and without a `scriptRunner` none would get one.
 */
export function deskSkills(): SkillsProvider {
  return new SkillsProvider({
    skills: fileSkills(skillsFolder, { strict: true }),
    loadSkillApproval: "never_require",
    readSkillResourceApproval: "never_require",
  });
}
