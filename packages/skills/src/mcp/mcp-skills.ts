import { ConfigurationError, checkOptionNames } from "@tunic/core";
import type { Skill } from "../skill.js";
import type { SkillProblem } from "../skill-problem.js";
import { skillKey } from "../sources/deduplicate-skills.js";
import type { CheckedSource } from "../sources/skills-input.js";
import { indexedSkills } from "./indexed-skills.js";
import { listedSkills } from "./listed-skills.js";
import type { ListMcpSkills, McpSkillsClient } from "./mcp-client.js";
import type { McpServer, McpSkillsLimits } from "./mcp-server.js";
import { type ServedSkill, shownAddress } from "./served-skill.js";

/** What {@link mcpSkills} can be told. */
export interface McpSkillsOptions {
  /** What you call the server; it is the origin of its skills. Never what the server calls itself. */
  readonly name: string;
  /** Sends `skills/list`, for servers with the extension. Default: they are asked for their index. */
  readonly listSkills?: ListMcpSkills | undefined;
  /** `trusted`: the server is yours, and nobody else writes what it serves. Default `untrusted`. */
  readonly trust?: Skill["trust"] | undefined;
  readonly limits?: Partial<McpSkillsLimits> | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof McpSkillsOptions>([
  "name",
  "listSkills",
  "trust",
  "limits",
]);

const defaultLimits: McpSkillsLimits = {
  skills: 1000,
  files: 512,
  skillBytes: 16 * 1024 * 1024,
  fileBytes: 1024 * 1024,
  archiveFiles: 20,
  unpackedBytes: 1024 * 1024,
};

/**
 * Skills of an MCP server, read as resources: those of `skills/list` (the extension `io.modelcontextprotocol/skills`,
 * SEP-2640), or else those of `skill://index.json`, where a skill is a `SKILL.md` or an archive of one. A server
 * that has neither has no skills.
 *
 * Nothing of a skill is fetched before it is loaded or read. What is fetched has to be what was listed: size,
 * digest and every field of the frontmatter where `skills/list` gives them, the digest where the index has one. No
 * file is run, and what instructions say names the server. Of two skills of one name each gets its path for a name.
 *
 * Every listing asks the server; put `cacheSkills` around it.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`.
 */
export function mcpSkills(client: McpSkillsClient, options: McpSkillsOptions): CheckedSource {
  const server = serverOf(client, options);
  return {
    name: `mcpSkills of "${server.name}"`,
    async list({ signal }) {
      const problems: SkillProblem[] = [];
      const { listSkills } = server;
      const listed = listSkills && (await listedSkills(server, listSkills, signal, problems));
      const served = listed ?? (await indexedSkills(server, signal, problems));
      return { skills: distinguished(server, served, problems), problems };
    },
  };
}

/** Over MCP a name is no identity: where two skills share one, each is called by its path. */
function distinguished(
  server: McpServer,
  served: readonly ServedSkill[],
  problems: SkillProblem[],
): readonly Skill[] {
  const counts = new Map<string, number>();
  const keyOf = ({ skill }: ServedSkill) => skillKey(skill.frontmatter.name);
  for (const each of served) counts.set(keyOf(each), (counts.get(keyOf(each)) ?? 0) + 1);
  return served.map((each) => {
    const { skill, path } = each;
    if (counts.get(keyOf(each)) === 1 || path === undefined) return skill;
    if (path === skill.frontmatter.name) return skill;
    problems.push({
      severity: "warning",
      code: "mcp_same_name",
      message: `Several skills are called "${skill.frontmatter.name}"; this one is called by its path.`,
      file: shownAddress(server, path),
    });
    return { ...skill, frontmatter: { ...skill.frontmatter, name: path } };
  });
}

function serverOf(client: McpSkillsClient, options: McpSkillsOptions): McpServer {
  checkOptionNames("mcpSkills", options, optionNames);
  const { name, listSkills, trust = "untrusted", limits = {} } = options;
  if (typeof client?.readResource !== "function") {
    throw invalid("the client must have `readResource`, as the `Client` of the MCP SDK has");
  }
  if (typeof name !== "string" || !/^[^\p{C}"]{1,100}$/u.test(name) || name.trim() !== name) {
    throw invalid("`name` must be what you call the server, in 1 to 100 characters");
  }
  if (listSkills !== undefined && typeof listSkills !== "function") {
    throw invalid("`listSkills` must be a function that sends skills/list");
  }
  if (trust !== "trusted" && trust !== "untrusted") {
    throw invalid('`trust` must be "trusted" or "untrusted"');
  }
  checkOptionNames("mcpSkills", limits, new Set(Object.keys(defaultLimits)));
  for (const [limit, value] of Object.entries(limits)) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 1)) {
      throw invalid(`\`limits.${limit}\` must be a whole number of at least 1`);
    }
  }
  const given = Object.fromEntries(
    Object.entries(limits).filter(([, value]) => value !== undefined),
  );
  return { client, listSkills, name, trust, limits: { ...defaultLimits, ...given } };
}

function invalid(what: string): ConfigurationError {
  return new ConfigurationError("invalid_option", `mcpSkills: ${what}.`);
}
