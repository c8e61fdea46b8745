import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { isJsonObject, withAbort } from "@tunic/core";
import { loadSkill, maxSkillSize } from "../frontmatter/parse-skill.js";
import type { Skill, SkillFrontmatter } from "../skill.js";
import type { SkillProblem } from "../skill-problem.js";
import { skillKey } from "../sources/deduplicate-skills.js";
import { isAbsent, type ListMcpSkills } from "./mcp-client.js";
import { isSameFrontmatter, statedFrontmatter } from "./mcp-frontmatter.js";
import { resourceOf, textOf } from "./mcp-resource.js";
import { isDigest, type McpFile, type McpServer, readSkillFile, refusal } from "./mcp-server.js";
import { relativeResource } from "./relative-resource.js";
import {
  nameBelow,
  type ServedSkill,
  type SkillAddress,
  servedSkill,
  servedText,
  shownAddress,
  skillAddress,
} from "./served-skill.js";

/** A server that goes on forever is cut off here. */
const mostPages = 1000;

/** Where a listing stands. */
interface Listing {
  readonly server: McpServer;
  readonly problems: SkillProblem[];
}

/**
 * The skills of `skills/list`; undefined where the server does not have the method. No file is read for it.
 *
 * @throws What the client throws for any other reason.
 */
export async function listedSkills(
  server: McpServer,
  list: ListMcpSkills,
  signal: AbortSignal,
  problems: SkillProblem[],
): Promise<readonly ServedSkill[] | undefined> {
  const listing = { server, problems };
  const entries = await entriesOf(listing, list, signal);
  return entries?.flatMap((entry) => skillOfEntry(listing, entry) ?? []);
}

/** The entries of all pages, as far as they are taken. */
async function entriesOf(
  listing: Listing,
  list: ListMcpSkills,
  signal: AbortSignal,
): Promise<readonly unknown[] | undefined> {
  const { skills: most } = listing.server.limits;
  const entries: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages && entries.length <= most; page++) {
    const result = await pageOf(list, cursor, signal);
    if (result === undefined) return undefined;
    const { skills, nextCursor } = isJsonObject(result) ? result : {};
    if (!Array.isArray(skills)) {
      problem(listing, "mcp_listing", "The server gave no list of skills.");
      return entries;
    }
    entries.push(...skills.slice(0, most + 1));
    cursor = typeof nextCursor === "string" && nextCursor !== cursor ? nextCursor : undefined;
    if (cursor === undefined) break;
  }
  if (cursor !== undefined || entries.length > most) {
    problem(listing, "mcp_listing", `The listing is cut off after ${most} skills or many pages.`);
  }
  return entries.slice(0, most);
}

async function pageOf(
  list: ListMcpSkills,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const params = cursor === undefined ? {} : { cursor };
    return (await withAbort(signal, (own) => list(params, { signal: own }))) ?? null;
  } catch (error) {
    // Further on, the server would contradict itself.
    if (cursor === undefined && isAbsent(error)) return undefined;
    throw error;
  }
}

function skillOfEntry(listing: Listing, entry: unknown): ServedSkill | undefined {
  const { server, problems } = listing;
  const { uri, frontmatter: stated, resources } = isJsonObject(entry) ? entry : {};
  const file = shownAddress(server, uri);
  const address = skillAddress(uri);
  if (address === undefined || typeof uri !== "string") {
    return problem(listing, "mcp_entry", "The address must be that of a SKILL.md.", uri);
  }
  const frontmatter = statedFrontmatter(stated, server, file, problems);
  if (frontmatter === undefined) return undefined;
  if (frontmatter.name !== address.folder) {
    return problem(listing, "mcp_entry", "The folder of the SKILL.md must have its name.", uri);
  }
  const files = resources === "dynamic" ? undefined : manifestOf(server, address, resources);
  if (typeof files === "string") return problem(listing, "mcp_manifest", files, uri);
  const place = { address, uri, stated, files };
  return { skill: skillOf(server, frontmatter, place), path: address.path };
}

interface Place {
  readonly address: SkillAddress;
  readonly uri: string;
  readonly stated: unknown;
  /** By name. Undefined where the server does not promise what they hold. */
  readonly files: ReadonlyMap<string, McpFile> | undefined;
}

function skillOf(server: McpServer, frontmatter: SkillFrontmatter, place: Place): Skill {
  const { address, uri, stated, files } = place;
  const { fileBytes: maxBytes } = server.limits;
  const fingerprint = files && manifestFingerprint(files);
  return servedSkill(server, frontmatter, {
    ...(fingerprint && { fingerprint }),
    async load({ signal }) {
      const file = files?.get("SKILL.md") ?? { uri, maxBytes };
      const text = textOf(await readSkillFile(server, file, signal));
      const { frontmatter: read, body } = loadSkill(text);
      if (read !== undefined && isSameFrontmatter(text, stated)) return servedText(server, body);
      throw refusal(
        "skill_changed",
        `The server "${server.name}" gave a skill that is not the one it listed; go on without it.`,
      );
    },
    ...(files === undefined
      ? { findResource: (name) => relativeResource(server, address.root, name) }
      : {
          resources: [...files].flatMap(([name, file]) =>
            name === "SKILL.md"
              ? []
              : [
                  {
                    ...resourceOf(name, (signal) => readSkillFile(server, file, signal)),
                    fingerprint,
                  },
                ],
          ),
        }),
  });
}

/** A yes is for all files of the skill, as the extension asks: each address with its digest. */
function manifestFingerprint(files: ReadonlyMap<string, McpFile>): () => string {
  const set = [...files.values()].map(({ uri, digest = "" }) => JSON.stringify([uri, digest]));
  return () => `sha256:${bytesToHex(sha256(utf8ToBytes(set.sort().join("\n"))))}`;
}

/** The files of a manifest, or what is wrong with it. */
function manifestOf(
  { limits }: McpServer,
  { root }: SkillAddress,
  resources: unknown,
): ReadonlyMap<string, McpFile> | string {
  if (!Array.isArray(resources)) return 'It must have `resources`: a list, or "dynamic".';
  if (resources.length > limits.files) return `It has more than ${limits.files} files.`;
  const files = new Map<string, McpFile>();
  const keys = new Set<string>();
  let total = 0;
  for (const resource of resources) {
    const { uri, digest, size } = isJsonObject(resource) ? resource : {};
    if (typeof uri !== "string" || !isDigest(digest) || !isSize(size)) {
      return "A file lacks its address, its digest or its size.";
    }
    const name = nameBelow(root, uri);
    if (name === undefined) return "It lists a file outside its folder.";
    if (keys.size === keys.add(skillKey(name)).size) return "It has two files of one name.";
    total += size;
    files.set(name, { uri, digest, size, maxBytes: size });
  }
  if (total > limits.skillBytes) return `It has more than ${limits.skillBytes} bytes.`;
  return skillFileFault(files.get("SKILL.md")) ?? files;
}

function skillFileFault(file: McpFile | undefined): string | undefined {
  if (file === undefined) return "It does not list its SKILL.md.";
  if (file.maxBytes <= maxSkillSize) return undefined;
  return `Its SKILL.md has more than ${maxSkillSize} bytes.`;
}

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function problem(
  { server, problems }: Listing,
  code: string,
  message: string,
  uri?: unknown,
): undefined {
  problems.push({ severity: "error", code, message, file: shownAddress(server, uri) });
}
