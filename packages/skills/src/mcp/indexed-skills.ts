import { isJsonObject, ToolError } from "@tunic/core";
import type { Skill, SkillFrontmatter } from "../skill.js";
import type { SkillProblem } from "../skill-problem.js";
import { archivedSkill } from "./archived-skill.js";
import { loadedBody } from "./loaded-body.js";
import { isAbsent } from "./mcp-client.js";
import { statedFrontmatter } from "./mcp-frontmatter.js";
import { textOf } from "./mcp-resource.js";
import {
  isDigest,
  type McpFile,
  type McpServer,
  readMcpFile,
  readSkillFile,
} from "./mcp-server.js";
import { relativeResource } from "./relative-resource.js";
import {
  type ServedSkill,
  servedSkill,
  servedText,
  shownAddress,
  skillAddress,
} from "./served-skill.js";

/** The address of the index, by convention. */
const indexUri = "skill://index.json";

/**
 * The skills of `skill://index.json`: that of servers without `skills/list`. No skill is read for it. Without an
 * index there are none; one that cannot be read is an error among the problems.
 *
 * @throws What the client throws for any other reason.
 */
export async function indexedSkills(
  server: McpServer,
  signal: AbortSignal,
  problems: SkillProblem[],
): Promise<readonly ServedSkill[]> {
  const tell = (
    severity: SkillProblem["severity"],
    code: string,
    message: string,
    uri: unknown,
  ) => {
    problems.push({ severity, code, message, file: shownAddress(server, uri) });
  };
  const index = await readIndex(server, signal);
  if (index === undefined) return [];
  const entries = isJsonObject(index) ? index["skills"] : undefined;
  if (!Array.isArray(entries)) {
    tell("error", "mcp_index", "The index must be JSON with a list `skills`.", indexUri);
    return [];
  }
  const { skills: most } = server.limits;
  if (entries.length > most) {
    tell("error", "mcp_listing", `Only the first ${most} skills are taken.`, indexUri);
  }
  return entries.slice(0, most).flatMap((entry) => {
    const { type, url, digest } = isJsonObject(entry) ? entry : {};
    if (type !== "skill-md" && type !== "archive") {
      tell("warning", "mcp_type", "Only skill-md and archive are known; it is left out.", url);
      return [];
    }
    if (!isAddress(url) || !(digest === undefined || isDigest(digest))) {
      tell("error", "mcp_entry", "The entry must have a url, and a digest sha256:… if any.", url);
      return [];
    }
    // No other field is stated there.
    const stated = isJsonObject(entry) && {
      name: entry["name"],
      description: entry["description"],
    };
    const frontmatter = statedFrontmatter(stated, server, shownAddress(server, url), problems);
    if (frontmatter === undefined) return [];
    const file = { uri: url, digest };
    if (type === "archive") return [{ skill: archivedSkill(server, frontmatter, file) }];
    return [{ skill: singleSkill(server, frontmatter, file), path: skillAddress(url)?.path }];
  });
}

async function readIndex(server: McpServer, signal: AbortSignal): Promise<unknown> {
  const file = { uri: indexUri, maxBytes: server.limits.fileBytes };
  let bytes: Uint8Array;
  try {
    bytes = await readMcpFile(server, file, signal);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    if (error instanceof ToolError) return null;
    throw error;
  }
  try {
    return JSON.parse(textOf(bytes));
  } catch {
    return null;
  }
}

/** A `SKILL.md` that is told of without its files: they are asked for by their names. */
function singleSkill(
  server: McpServer,
  frontmatter: SkillFrontmatter,
  file: Omit<McpFile, "maxBytes">,
): Skill {
  const root = file.uri.slice(0, file.uri.lastIndexOf("/"));
  return servedSkill(server, frontmatter, {
    async load({ signal }) {
      const whole = { ...file, maxBytes: server.limits.fileBytes };
      const text = textOf(await readSkillFile(server, whole, signal));
      return servedText(server, loadedBody(server, frontmatter, text));
    },
    findResource: (name) => relativeResource(server, root, name),
  });
}

function isAddress(url: unknown): url is string {
  return (
    typeof url === "string" &&
    url.length <= 1024 &&
    /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(url) &&
    !/[\p{C}\s\\?#]/u.test(url)
  );
}
