import { loadSkill } from "../frontmatter/parse-skill.js";
import type { SkillFrontmatter } from "../skill.js";
import { type McpServer, refusal } from "./mcp-server.js";

/**
 * The instructions of a `SKILL.md` of which only name and description were stated before.
 *
 * @throws ToolError `skill_changed` where it has another name; `skill_allowed_tools` where a trusted skill restricts
 * tools, which came too late to be held to.
 */
export function loadedBody(
  { name: server, trust }: McpServer,
  { name }: SkillFrontmatter,
  text: string,
): string {
  const { frontmatter, body } = loadSkill(text);
  if (frontmatter?.name !== name) {
    throw refusal(
      "skill_changed",
      `The server "${server}" gave a skill that is not the one it listed; go on without it.`,
    );
  }
  if (trust === "trusted" && frontmatter.allowedTools !== undefined) {
    throw refusal(
      "skill_allowed_tools",
      "The skill says which tools may run while it is in use, and its index does not; it has to be listed by skills/list.",
    );
  }
  return body;
}
