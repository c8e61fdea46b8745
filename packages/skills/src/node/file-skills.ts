import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { SkillListing, SkillsSource } from "../skill.js";
import type { SkillProblem } from "../skill-problem.js";
import { type FileSkillsOptions, fileSettings, type SkillsRoot } from "./file-options.js";
import { type FoundSkill, foundSkill, type ListingMemory, recall } from "./listing-memory.js";
import type { Look } from "./look.js";
import { type FileSkill, readSkillFolder, type SkillPlace, skillFileOf } from "./skill-folder.js";
import {
  compareText,
  foldersIn,
  letOthersWork,
  mapSome,
  readFolder,
  type Walk,
} from "./walk-folders.js";

/** What a listing of folders gives. */
export interface FileSkillListing extends SkillListing {
  readonly skills: readonly FileSkill[];
  readonly problems: readonly SkillProblem[];
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
 * Every listing looks at the folders anew, but reads again only the skills that have changed since the last one:
 * a change is seen at once. A listing that holds for a while is what `cacheSkills` makes of it.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`.
 */
export function fileSkills(
  roots: string | SkillsRoot | readonly (string | SkillsRoot)[],
  options: FileSkillsOptions = {},
): FileSkillsSource {
  const settings = fileSettings(roots, options);
  let before: readonly ListingMemory[] = [];
  return {
    name: `fileSkills(${settings.roots.map(({ path }) => JSON.stringify(path)).join(", ")})`,
    async list({ signal }) {
      const problems: SkillProblem[] = [];
      const skills: FileSkill[] = [];
      const memories = settings.roots.map((): ListingMemory => new Map());
      const budget = { folders: settings.maxFolders };
      const turn = { since: performance.now() };
      for (const [at, { path, trust }] of settings.roots.entries()) {
        signal.throwIfAborted();
        const root = await rootOf(path, problems);
        if (root === undefined) continue;
        const walk: Walk = { root, shown: path, signal, problems, budget, turn, looks: [] };
        const search = { before: before[at] ?? new Map(), found: memories[at] ?? new Map() };
        skills.push(...(await skillsBelow({ walk, settings, trust }, [], search)));
      }
      before = memories;
      problems.sort((a, b) => compareText(a.file ?? "", b.file ?? ""));
      return { skills, problems };
    },
  };
}

interface Search {
  readonly before: ListingMemory;
  readonly found: ListingMemory;
}

async function skillsBelow(
  place: SkillPlace,
  segments: readonly string[],
  search: Search,
): Promise<readonly FileSkill[]> {
  const { walk, settings } = place;
  await letOthersWork(walk);
  // With the real path of the root, which may be a link that leads elsewhere by now.
  const path = join(walk.root, ...segments);
  const known = recall(search.before, path);
  if (known !== undefined && known.folders <= walk.budget.folders) {
    walk.budget.folders -= known.folders;
    return take(known);
  }
  const looks: Look[] = [];
  const folder = await readFolder({ ...walk, looks }, segments);
  if (folder === undefined) return [];
  const file = skillFileOf(folder);
  if (file !== undefined) {
    const problems: SkillProblem[] = [];
    const own = { ...place, walk: { ...walk, problems, looks } };
    const skill = await readSkillFolder(own, folder, file);
    return take(foundSkill(skill, own.walk));
  }
  const inner = foldersIn(walk, folder);
  if (segments.length >= settings.depth) return [];
  const found = await mapSome(inner, (each) => skillsBelow(place, each, search));
  return found.flat();

  function take(found: FoundSkill): readonly FileSkill[] {
    search.found.set(path, found);
    walk.problems.push(...found.problems);
    return found.skill === undefined ? [] : [found.skill];
  }
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
      message: missing
        ? "There is no such folder. A relative path begins at the current directory; write new URL(…, import.meta.url) for one beside a file."
        : `The folder cannot be read (${code}).`,
      file: path,
    });
    return undefined;
  }
}
