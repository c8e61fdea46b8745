import type { Dirent } from "node:fs";
import { basename, extname, join } from "node:path";
import { type Content, dataContent, isJsonObject, sameJson, ToolError } from "@tunic/core";
import { maxSkillSize, parseSkill } from "../frontmatter/parse-skill.js";
import type { Skill, SkillResource, SkillScript } from "../skill.js";
import type { FileSettings } from "./file-options.js";
import { type Refusal, readBytes, readText } from "./guarded-read.js";
import {
  type Folder,
  foldersIn,
  isHidden,
  readFolder,
  report,
  shownPath,
  type Walk,
} from "./walk-folders.js";

/** A skill in a folder. */
export interface FileSkill extends Skill {
  /** The real path of the folder. */
  readonly folder: string;
}

/** Where a skill is being read. */
export interface SkillPlace {
  readonly walk: Walk;
  readonly settings: FileSettings;
  readonly trust: Skill["trust"];
}

/** The file that makes a folder a skill: `SKILL.md`, or else the same name in other case. */
export function skillFileOf({ entries }: Folder): Dirent | undefined {
  return (
    entries.find(({ name }) => name === "SKILL.md") ??
    entries.find(({ name }) => name.toUpperCase() === "SKILL.MD")
  );
}

/** Reads the skill of a folder; undefined, with a problem, where it is refused. */
export async function readSkillFolder(
  place: SkillPlace,
  folder: Folder,
  { name: fileName }: Dirent,
): Promise<FileSkill | undefined> {
  const { walk, settings, trust } = place;
  const segments = [...folder.segments, fileName];
  const file = shownPath(walk, segments);
  const maxSize = Math.min(settings.maxFileSize, maxSkillSize);
  const read = await readText(walk.root, segments, maxSize);
  if (read.refusal !== undefined) {
    reportRefusal(walk, segments, read.refusal);
    return undefined;
  }
  if (fileName !== "SKILL.md") {
    const message = `The file must be called SKILL.md, not ${fileName}.`;
    report(walk, segments, "file_name", message, settings.strict ? "error" : "warning");
    if (settings.strict) return undefined;
  }
  const directory = folder.segments.at(-1) ?? basename(walk.shown);
  const { strict } = settings;
  const { frontmatter, problems } = parseSkill(read.text, { file, directory, strict });
  walk.problems.push(...problems);
  if (frontmatter === undefined) return undefined;
  const { name } = frontmatter;
  const { resources, scripts } = await partsOf(place, folder, fileName, name);
  return {
    frontmatter,
    origin: shownPath(walk, folder.segments),
    folder: join(walk.root, ...folder.segments),
    trust,
    async load() {
      const again = await readText(walk.root, segments, maxSize);
      if (again.refusal !== undefined) throw unreadable(fileName, again.refusal);
      const parsed = parseSkill(again.text, { file, directory, strict });
      // Other instructions are what a new version is for; other limits than those that are held to are not.
      const { name: newName, allowedTools } = parsed.frontmatter ?? {};
      const sameLimits = sameJson(allowedTools ?? null, frontmatter.allowedTools ?? null);
      if (newName === name && sameLimits) return parsed.body;
      throw new ToolError(`${file} is not the skill "${name}" any more.`, {
        code: "skill_changed",
        fix: "The skill was changed in the meantime and cannot be loaded now; go on without it.",
      });
    },
    resources,
    scripts,
  };
}

interface Parts {
  readonly resources: SkillResource[];
  readonly scripts: SkillScript[];
}

async function partsOf(
  place: SkillPlace,
  folder: Folder,
  skillFile: string,
  skill: string,
): Promise<Parts> {
  const parts: Parts = { resources: [], scripts: [] };
  const visit = async (current: Folder, depth: number): Promise<void> => {
    for (const entry of current.entries) {
      const own = current === folder && entry.name === skillFile;
      if (!own && !isHidden(entry.name) && !entry.isDirectory() && !entry.isSymbolicLink()) {
        takePart(place, parts, {
          folder,
          segments: [...current.segments, entry.name],
          entry,
          skill,
        });
      }
    }
    for (const inner of foldersIn(place.walk, current)) {
      if (depth >= place.settings.resourceDepth) return;
      const next = await readFolder(place.walk, inner);
      if (next !== undefined) await visit(next, depth + 1);
    }
  };
  await visit(folder, 0);
  return parts;
}

interface PartPlace {
  readonly folder: Folder;
  /** From the root. */
  readonly segments: readonly string[];
  readonly entry: Dirent;
  readonly skill: string;
}

function takePart(place: SkillPlace, parts: Parts, part: PartPlace): void {
  const { walk, settings } = place;
  const { folder, segments, entry, skill } = part;
  const extension = extname(entry.name).toLowerCase();
  const isScript = settings.scriptExtensions.has(extension);
  if (!isScript && !settings.resourceExtensions.has(extension)) return;
  const name = segments.slice(folder.segments.length).join("/");
  if (!(isScript ? settings.scriptFilter : settings.resourceFilter)(skill, name)) return;
  if (!entry.isFile()) {
    report(walk, segments, "not_a_file", "It is a device, a pipe or a socket, and not read.");
  } else if (/[\p{C}\\]/u.test(name)) {
    report(walk, segments, "part_name", "The name holds control characters or backslashes.");
  } else if (isScript) {
    if (settings.scriptRunner !== undefined) parts.scripts.push(scriptOf(place, part, name));
    else report(walk, segments, "no_script_runner", "Nobody runs scripts here.", "warning");
  } else parts.resources.push(resourceOf(place, segments, name));
}

/** What is no text. */
const mediaTypes: ReadonlyMap<string, string> = new Map([
  [".png", "image/png"],
  [".jpg", "image/jpeg"],
  [".jpeg", "image/jpeg"],
  [".gif", "image/gif"],
  [".webp", "image/webp"],
  [".pdf", "application/pdf"],
]);

function resourceOf(
  { walk, settings }: SkillPlace,
  segments: readonly string[],
  name: string,
): SkillResource {
  const mediaType = mediaTypes.get(extname(name).toLowerCase());
  return {
    name,
    async read(): Promise<string | Content> {
      if (mediaType !== undefined) {
        const read = await readBytes(walk.root, segments, settings.maxFileSize);
        if (read.refusal !== undefined) throw unreadable(name, read.refusal);
        return dataContent(read.bytes, mediaType, { name });
      }
      const read = await readText(walk.root, segments, settings.maxFileSize);
      if (read.refusal !== undefined) throw unreadable(name, read.refusal);
      return read.text.replace(/^\uFEFF/, "");
    },
  };
}

/** What a script in a file takes: words of a command line. */
const argvSchema = {
  type: "object",
  properties: {
    argv: { type: "array", items: { type: "string" }, description: "Words of the command line." },
  },
  additionalProperties: false,
} as const;

function scriptOf({ walk, settings }: SkillPlace, part: PartPlace, name: string): SkillScript {
  const { folder, segments, skill } = part;
  return {
    name,
    parameters: argvSchema,
    async run(args, context) {
      const argv = isJsonObject(args) ? args["argv"] : undefined;
      const words = Array.isArray(argv) ? argv.map(String) : [];
      const read = await readBytes(walk.root, segments, settings.maxFileSize);
      if (read.refusal !== undefined) throw unreadable(name, read.refusal);
      const script = {
        skill,
        name,
        folder: join(walk.root, ...folder.segments),
        source: read.bytes,
      };
      return await settings.scriptRunner?.(script, words, context);
    },
  };
}

function reportRefusal(walk: Walk, segments: readonly string[], { code, message }: Refusal): void {
  report(walk, segments, code, `The file is not taken: ${message}.`);
}

function unreadable(name: string, { code, message }: Refusal): ToolError {
  const text = `${name} cannot be read: ${message}.`;
  return new ToolError(text, { code: `skill_${code}`, fix: text });
}
