import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import type { SkillProblem } from "../skill-problem.js";
import { isSame, type Look, lookAt } from "./look.js";

/** One search below one root. */
export interface Walk {
  /** A real path. */
  readonly root: string;
  /** How the root is called in problems. */
  readonly shown: string;
  readonly signal: AbortSignal;
  readonly problems: SkillProblem[];
  /** How many folders may still be looked into; shared by all walks of a listing. */
  readonly budget: { folders: number };
  /** At what is read, each just before. */
  readonly looks: Look[];
  /** When others had their turn; shared like the budget. */
  readonly turn: { since: number };
}

/** A folder with what is in it, sorted by name. */
export interface Folder {
  /** The names from the root to it. */
  readonly segments: readonly string[];
  readonly entries: readonly Dirent[];
}

/** Folders that hold other people's code, or a tool's own things. */
const skipped: ReadonlySet<string> = new Set(["node_modules"]);

/** Whether a name is not looked at, and nobody needs to hear of it. */
export function isHidden(name: string): boolean {
  return name.startsWith(".") || skipped.has(name);
}

/** The same of a file. A name like `..notes.md` hides nothing, and leads nowhere either. */
export function isHiddenFile(name: string): boolean {
  return isHidden(name) && !/^\.\.[^.]/.test(name);
}

/** Looks into a folder; undefined, with a problem, where that cannot be done. */
export async function readFolder(
  walk: Walk,
  segments: readonly string[],
): Promise<Folder | undefined> {
  await letOthersWork(walk);
  if (walk.budget.folders-- <= 0) {
    // Said once for each listing.
    if (walk.budget.folders === -1) {
      report(walk, segments, "too_many_folders", "There are more folders than may be looked into.");
    }
    return undefined;
  }
  try {
    const look = lookAt(join(walk.root, ...segments));
    walk.looks.push(look);
    const entries = readdirSync(look.path, { withFileTypes: true });
    if (!isStill(walk.root, segments, look)) {
      report(walk, segments, "changed", "The folder was replaced while it was looked into.");
      return undefined;
    }
    return { segments, entries: entries.sort((a, b) => compareText(a.name, b.name)) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    report(walk, segments, "unreadable", `The folder cannot be read (${code}).`);
    return undefined;
  }
}

/** Whether a path leads, without links, to the folder that was looked at. */
function isStill(root: string, segments: readonly string[], look: Look): boolean {
  const above = segments.slice(0, -1).map((_, at) => join(root, ...segments.slice(0, at + 1)));
  const now = lookAt(look.path);
  return above.every((path) => lookAt(path).isFolder) && now.isFolder && isSame(now, look);
}

/** Milliseconds for which a listing holds a program up at most. */
const longestTurn = 2;

/**
 * Between pieces of work that are done without waiting.
 *
 * @throws why the listing is to stop.
 */
export async function letOthersWork({ turn, signal }: Walk): Promise<void> {
  if (performance.now() - turn.since >= longestTurn) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    turn.since = performance.now();
  }
  signal.throwIfAborted();
}

/** The folders inside a folder into which a search goes on; links among them are problems. */
export function foldersIn(
  walk: Walk,
  { segments, entries }: Folder,
): readonly (readonly string[])[] {
  return entries
    .filter((entry) => !isHidden(entry.name))
    .flatMap((entry) => {
      const path = [...segments, entry.name];
      if (entry.isSymbolicLink()) {
        report(walk, path, "link", "Links are not followed.");
        return [];
      }
      return entry.isDirectory() ? [path] : [];
    });
}

export function report(
  walk: Walk,
  segments: readonly string[],
  code: string,
  message: string,
  severity: SkillProblem["severity"] = "error",
): void {
  walk.problems.push({ severity, code, message, file: shownPath(walk, segments) });
}

export function shownPath({ shown }: Pick<Walk, "shown">, segments: readonly string[]): string {
  return [shown, ...segments].join("/");
}

/** By code units: the same everywhere, whatever the language of the machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Does work for each of a list, a few at a time; what it gives stands in the order of the list. */
export async function mapSome<From, To>(
  list: readonly From[],
  work: (each: From) => Promise<To>,
): Promise<readonly To[]> {
  const results: To[] = [];
  let next = 0;
  const worker = async () => {
    while (next < list.length) {
      const at = next++;
      const each = list[at];
      if (each !== undefined) results[at] = await work(each);
    }
  };
  await Promise.all(Array.from({ length: Math.min(16, list.length) }, worker));
  return results;
}
