import { ArchiveError } from "../archives/archive-error.js";
import type { ArchiveFiles } from "../archives/archive-files.js";
import { unpackArchive } from "../archives/unpack-archive.js";
import type { Skill, SkillContext, SkillFrontmatter } from "../skill.js";
import { skillKey } from "../sources/deduplicate-skills.js";
import { loadedBody } from "./loaded-body.js";
import { resourceOf, textOf } from "./mcp-resource.js";
import { type McpFile, type McpServer, readSkillFile, refusal } from "./mcp-server.js";
import { servedSkill, servedText } from "./served-skill.js";

/** What an archive holds of a skill. */
interface UnpackedSkill {
  readonly text: string;
  /** By name; without the `SKILL.md`. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** A skill in an archive, which is fetched and unpacked when it is loaded or one of its files is read. */
export function archivedSkill(
  server: McpServer,
  frontmatter: SkillFrontmatter,
  file: Omit<McpFile, "maxBytes">,
): Skill {
  let kept: UnpackedSkill | undefined;
  const unpacked = async (context: SkillContext): Promise<UnpackedSkill> => {
    kept ??= await fetched(server, file, context);
    return kept;
  };
  return servedSkill(server, frontmatter, {
    async load(context) {
      const { text, files } = await unpacked(context);
      const names = [...files.keys()].map((name) => JSON.stringify(name)).join(", ");
      const note = names === "" ? "" : `Its resources are: ${names}.`;
      return servedText(server, loadedBody(server, frontmatter, text), note);
    },
    async findResource(name, context) {
      const { files } = await unpacked(context);
      const key = skillKey(name);
      const found = [...files].find(([each]) => skillKey(each) === key);
      return found && resourceOf(found[0], async () => found[1]);
    },
  });
}

async function fetched(
  server: McpServer,
  file: Omit<McpFile, "maxBytes">,
  { run, signal }: SkillContext,
): Promise<UnpackedSkill> {
  const { fileBytes, archiveFiles, unpackedBytes } = server.limits;
  const bytes = await readSkillFile(server, { ...file, maxBytes: fileBytes }, signal);
  const { files, leftOut } = await unpack(bytes, archiveFiles, unpackedBytes);
  if (leftOut > 0) {
    const message = `An archive of the MCP server "${server.name}" has ${leftOut} links or devices, which are left out.`;
    run?.notice("skill_archive", message);
  }
  const below = withoutFolder(files);
  const skill = [...below.keys()].find((name) => name.toUpperCase() === "SKILL.MD");
  const text = skill === undefined ? undefined : below.get(skill);
  if (skill === undefined || text === undefined) throw broken("it has no SKILL.md");
  below.delete(skill);
  return { text: textOf(text), files: below };
}

async function unpack(
  bytes: Uint8Array,
  maxFiles: number,
  maxBytes: number,
): Promise<ArchiveFiles> {
  try {
    return await unpackArchive(bytes, { maxFiles, maxBytes });
  } catch (error) {
    throw error instanceof ArchiveError ? broken(error.message) : error;
  }
}

/** The files of a skill, which may all stand in one folder. */
function withoutFolder(files: ReadonlyMap<string, Uint8Array>): Map<string, Uint8Array> {
  const [first = ""] = files.keys();
  const folder = first.slice(0, first.indexOf("/") + 1);
  const wrapped = folder !== "" && [...files.keys()].every((name) => name.startsWith(folder));
  const from = wrapped ? folder.length : 0;
  return new Map([...files].map(([name, bytes]) => [name.slice(from), bytes]));
}

function broken(why: string) {
  return refusal("skill_archive", `The archive of the skill is not unpacked: ${why}.`);
}
