import { type Dirent, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import type { FileSettings } from "./file-options.js";
import type { FileSkill } from "./skill-folder.js";
import { compareText, isHidden, isHiddenFile } from "./walk-folders.js";

/** A file, or a folder with all that is in it, which stands with a skill and is no part of it. */
export interface LeftOut {
  /** Below the folder of the skill, with slashes; a folder ends with one. */
  readonly path: string;
  readonly reason: string;
}

type Extensions = Pick<FileSettings, "resourceDepth" | "resourceExtensions" | "scriptExtensions">;

/** What a skill in a folder left out, for whoever misses a file. Reads names only, and follows no links. */
export function leftOut(skill: FileSkill, settings: Extensions): readonly LeftOut[] {
  const taken = new Set([...skill.resources, ...skill.scripts].map(({ name }) => name));
  const found: LeftOut[] = [];
  const visit = (segments: readonly string[]) => {
    for (const entry of entriesOf(join(skill.folder, ...segments))) {
      const inner = [...segments, entry.name];
      const path = inner.join("/");
      if (taken.has(path) || isSkillFile(inner)) continue;
      const reason = reasonOf(entry, segments.length, settings);
      if (reason === undefined) visit(inner);
      else found.push({ path: entry.isDirectory() ? `${path}/` : path, reason });
    }
  };
  visit([]);
  return found;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => compareText(a.name, b.name));
  } catch {
    // That it cannot be read is a problem of the listing.
    return [];
  }
}

function isSkillFile([name = "", ...more]: readonly string[]): boolean {
  return more.length === 0 && name.toUpperCase() === "SKILL.MD";
}

/** Undefined: a folder that is looked into. */
function reasonOf(entry: Dirent, depth: number, settings: Extensions): string | undefined {
  if (entry.isSymbolicLink()) return "a link";
  if (entry.isDirectory()) {
    if (isHidden(entry.name)) return "hidden";
    const { resourceDepth } = settings;
    return depth >= resourceDepth ? `more than ${resourceDepth} folders deep` : undefined;
  }
  if (isHiddenFile(entry.name)) return "hidden";
  const extension = extname(entry.name).toLowerCase();
  const known =
    settings.resourceExtensions.has(extension) || settings.scriptExtensions.has(extension);
  if (known) return "refused";
  return extension === ""
    ? "it has no extension"
    : `${extension} is neither an extension of resources nor of scripts`;
}
