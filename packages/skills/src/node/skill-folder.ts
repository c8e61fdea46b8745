import type { Dirent } from "node:fs";
import { basename, extname, join } from "node:path";
import { type Content, dataContent, isJsonObject, ToolError } from "@tunic/core";
import { argvSchema } from "../argv-schema.js";
import { maxSkillSize, parseSkill } from "../frontmatter/parse-skill.js";
import { mediaTypeOf } from "../media-type.js";
import type {
  Skill,
  SkillContext,
  SkillFrontmatter,
  SkillResource,
  SkillScript,
} from "../skill.js";
import type { FileScript, FileSettings } from "./file-options.js";
import { digestOf, scriptFingerprint } from "./fingerprint.js";
import { decodeText, type Refusal, readBytes, readText } from "./guarded-read.js";
import { lookAt } from "./look.js";
import {
  type Folder,
  foldersIn,
  isHiddenFile,
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
  walk.looks.push(lookAt(join(walk.root, ...segments)));
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
  const parse = (text: string) => parseSkill(text, { file, directory, strict: settings.strict });
  const { frontmatter, problems } = parse(read.text);
  walk.problems.push(...problems);
  if (frontmatter === undefined) return undefined;
  const { name } = frontmatter;
  const { root } = walk;
  const { resources, scripts } = await partsOf(place, folder, fileName, name);
  const listed = digestOf(read.text);
  return {
    frontmatter,
    origin: shownPath(walk, folder.segments),
    folder: join(walk.root, ...folder.segments),
    trust,
    fingerprint: () => listed,
    async load({ agreed }) {
      const again = await readText(root, segments, maxSize);
      if (again.refusal !== undefined) throw unreadable(fileName, again.refusal);
      const now = parse(again.text);
      const isAgreed = agreed === undefined || agreed === digestOf(again.text);
      if (isAgreed && isSameSkill(frontmatter, now.frontmatter)) return now.body;
      throw new ToolError(`${file} is not the skill "${name}" any more that was listed.`, {
        code: "skill_changed",
        fix: "The skill was changed in the meantime and cannot be loaded now; go on without it.",
      });
    },
    resources,
    scripts,
  };
}

/** Whether a file still is the skill that was listed, with the restrictions that it had. */
function isSameSkill(listed: SkillFrontmatter, now: SkillFrontmatter | undefined): boolean {
  return (
    now?.name === listed.name &&
    JSON.stringify(now.allowedTools) === JSON.stringify(listed.allowedTools)
  );
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
      if (!own && !isHiddenFile(entry.name) && !entry.isDirectory() && !entry.isSymbolicLink()) {
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
    else
      report(
        walk,
        segments,
        "no_script_runner",
        "Nobody runs scripts here. Write fileSkills(root, { scriptRunner: processScriptRunner() }), or leave the script out with scriptFilter.",
        "warning",
      );
  } else parts.resources.push(resourceOf(place, segments, name));
}

function resourceOf(
  { walk: { root }, settings }: SkillPlace,
  segments: readonly string[],
  name: string,
): SkillResource {
  const mediaType = mediaTypeOf(name);
  return {
    name,
    async fingerprint() {
      const { bytes } = await bytesOf(root, segments, name, settings);
      return digestOf(bytes);
    },
    async read({ agreed }): Promise<string | Content> {
      const { bytes } = await bytesOf(root, segments, name, settings);
      if (agreed !== undefined && digestOf(bytes) !== agreed) throw changed(name);
      if (mediaType !== undefined) return dataContent(bytes, mediaType, { name });
      const read = decodeText(bytes);
      if (read.refusal !== undefined) throw unreadable(name, read.refusal);
      return read.text.replace(/^\uFEFF/, "");
    },
  };
}

function scriptOf({ walk, settings }: SkillPlace, part: PartPlace, name: string): SkillScript {
  const { folder, segments, skill } = part;
  const { scriptRunner } = settings;
  const current = async ({ agreed }: SkillContext): Promise<FileScript> => {
    const { bytes } = await bytesOf(walk.root, segments, name, settings);
    return {
      skill,
      name,
      root: walk.root,
      folder: join(walk.root, ...folder.segments),
      source: bytes,
      ...(agreed !== undefined && { agreed }),
    };
  };
  const fingerprint = scriptRunner?.fingerprint ?? scriptFingerprint;
  return {
    name,
    parameters: argvSchema,
    fingerprint: async (context) => await fingerprint(await current(context), context),
    async run(args, context) {
      const argv = isJsonObject(args) ? args["argv"] : undefined;
      const words = Array.isArray(argv) ? argv.map(String) : [];
      return await scriptRunner?.(await current(context), words, context);
    },
  };
}

function reportRefusal(walk: Walk, segments: readonly string[], { code, message }: Refusal): void {
  report(walk, segments, code, `The file is not taken: ${message}.`);
}

async function bytesOf(
  root: string,
  segments: readonly string[],
  name: string,
  { maxFileSize }: FileSettings,
) {
  const read = await readBytes(root, segments, maxFileSize);
  if (read.refusal !== undefined) throw unreadable(name, read.refusal);
  return read;
}

function changed(name: string): ToolError {
  return new ToolError(`${name} is not what a person has agreed to.`, {
    code: "skill_changed",
    fix: "It was changed in the meantime. Call again to have somebody asked.",
  });
}

function unreadable(name: string, { code, message }: Refusal): ToolError {
  const text = `${name} cannot be read: ${message}.`;
  return new ToolError(text, { code: `skill_${code}`, fix: text });
}
