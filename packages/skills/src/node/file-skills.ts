import { realpath } from "node:fs/promises";
import type { SkillListing, SkillsSource } from "../skill.js";
import type { SkillProblem } from "../skill-problem.js";
import {
  type FileSettings,
  type FileSkillsOptions,
  fileSettings,
  type SkillsRoot,
} from "./file-options.js";
import { type FileSkill, readSkillFolder, type SkillPlace, skillFileOf } from "./skill-folder.js";
import { compareText, foldersIn, mapSome, readFolder, type Walk } from "./walk-folders.js";

/** What a listing of folders gives. */
export interface FileSkillListing extends SkillListing {
  readonly skills: readonly FileSkill[];
}

/** A source of folders. */
export interface FileSkillsSource extends SkillsSource {
  list(context: Parameters<SkillsSource["list"]>[0]): Promise<FileSkillListing>;
}

/**
 * Skills in folders: each folder below a root in which a `SKILL.md` stands, sorted by path, root after root. What
 * is inside such a folder belongs to it, another `SKILL.md` too. Files are read when somebody asks for them.
 *
 * A root is the boundary of what is trusted to be read: nothing below it is reached over a link, neither when it
 * is found nor, looked at anew, when it is read. What is refused is a problem with its path; a root that is not
 * there is a warning.
 *
 * Every listing looks at the folders anew; put `cacheSkills` around it.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`.
 */
export function fileSkills(
  roots: string | SkillsRoot | readonly (string | SkillsRoot)[],
  options: FileSkillsOptions = {},
): FileSkillsSource {
  const settings = fileSettings(roots, options);
  return {
    async list({ signal }) {
      const problems: SkillProblem[] = [];
      const skills: FileSkill[] = [];
      const budget = { folders: settings.maxFolders };
      for (const { path, trust } of settings.roots) {
        signal.throwIfAborted();
        const root = await rootOf(path, problems);
        if (root === undefined) continue;
        const walk: Walk = { root, shown: path, signal, problems, budget };
        skills.push(...(await skillsBelow({ walk, settings, trust }, [], settings)));
      }
      problems.sort((a, b) => compareText(a.file ?? "", b.file ?? ""));
      return { skills, problems };
    },
  };
}

async function skillsBelow(
  place: SkillPlace,
  segments: readonly string[],
  { depth }: Pick<FileSettings, "depth">,
): Promise<readonly FileSkill[]> {
  const { walk } = place;
  const folder = await readFolder(walk, segments);
  if (folder === undefined) return [];
  const file = skillFileOf(folder);
  if (file !== undefined) {
    const skill = await readSkillFolder(place, folder, file);
    return skill === undefined ? [] : [skill];
  }
  const inner = foldersIn(walk, folder);
  if (segments.length >= depth) return [];
  const found = await mapSome(inner, (each) => skillsBelow(place, each, { depth }));
  return found.flat();
}

async function rootOf(path: string, problems: SkillProblem[]): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    const missing = code === "ENOENT";
    problems.push({
      severity: missing ? "warning" : "error",
      code: missing ? "root_missing" : "unreadable",
      message: missing ? "There is no such folder." : `The folder cannot be read (${code}).`,
      file: path,
    });
    return undefined;
  }
}
