import { isJsonObject, sameJson } from "@tunic/core";
import { parse, stringify } from "yaml";
import { loadSkill } from "../frontmatter/parse-skill.js";
import { isSkillName } from "../frontmatter/skill-name.js";
import { readSkillText } from "../frontmatter/skill-text.js";
import { isDeep, yamlEntries } from "../frontmatter/yaml-entries.js";
import type { SkillFrontmatter } from "../skill.js";
import type { SkillProblem } from "../skill-problem.js";
import type { McpServer } from "./mcp-server.js";

/** Of the frontmatter in an entry, in characters of JSON. */
const maxLength = 64 * 1024;

/**
 * The frontmatter that a server states of a skill, held to the rules for files; undefined, with an error among the
 * problems, where it is refused. Names have to keep the specification: over MCP they are part of an address.
 *
 * `allowed-tools` of an untrusted server is left out, as the extension asks: it is not for a server to say what
 * other tools may do.
 */
export function statedFrontmatter(
  stated: unknown,
  { trust }: Pick<McpServer, "trust">,
  file: string,
  problems: SkillProblem[],
): SkillFrontmatter | undefined {
  const problem = (severity: SkillProblem["severity"], code: string, message: string) => {
    problems.push({ severity, code, message, file });
    return undefined;
  };
  const json = isJsonObject(stated) ? jsonOf(stated) : "";
  if (json === "" || json.length > maxLength || isDeep(json)) {
    return problem("error", "mcp_entry", "The entry has no frontmatter that can be read.");
  }
  const yaml = stringify(JSON.parse(json), { aliasDuplicateObjects: false });
  const { frontmatter, problems: found } = loadSkill(`---\n${yaml}---\n`);
  // Its lines are of our making.
  for (const { severity, code, message } of found) problem(severity, code, message);
  if (frontmatter === undefined) return undefined;
  if (!isSkillName(frontmatter.name)) {
    return problem("error", "mcp_name", "The name may only have a-z, 0-9 and single hyphens.");
  }
  const { allowedTools, ...others } = frontmatter;
  if (allowedTools === undefined || trust === "trusted") return frontmatter;
  problem(
    "warning",
    "mcp_allowed_tools",
    "allowed-tools is ignored: what an untrusted server says of tools has no effect.",
  );
  return others;
}

/** Empty for what is no JSON, or nested so deeply that it cannot be written. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

/**
 * Whether a `SKILL.md` says in its frontmatter exactly what an entry stated, every field of it. What the rules for
 * files refuse is not the same: it could be so large or so deep that reading it never ends.
 */
export function isSameFrontmatter(text: string, stated: unknown): boolean {
  const { yaml } = readSkillText(text);
  if (yaml === undefined || yamlEntries(yaml).faults.length > 0) return false;
  try {
    // Those of the block itself have just been compared, in linear time.
    const values = parse(yaml, { uniqueKeys: false, logLevel: "error" });
    return sameJson(JSON.parse(JSON.stringify(values)), stated);
  } catch {
    return false;
  }
}
