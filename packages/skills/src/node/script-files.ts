import { relative, sep } from "node:path";
import { ToolError } from "@tunic/core";
import type { SandboxFile } from "@tunic/security";
import type { FileScript } from "./file-options.js";
import { readBytes } from "./guarded-read.js";
import { readFolder, type Walk } from "./walk-folders.js";

/** How much of a folder a script may bring along. */
export interface ScriptLimits {
  readonly maxFiles: number;
  /** Of all files together, in bytes. */
  readonly maxFolderSize: number;
}

/** A script with what stands beside it. */
export interface ScriptFiles {
  readonly files: readonly SandboxFile[];
  /** What was not taken, with the reason. */
  readonly leftOut: readonly string[];
}

/** A sandbox may be on a system where these mean something. */
const namelessSomewhere = /[\\:]/;
/** Each folder is looked at with all above it. */
const maxDepth = 64;
/** Nothing that a script would need. */
const skipped: ReadonlySet<string> = new Set([".git", "__pycache__"]);

/**
 * The folder of a skill as it is now, each file read under the guards of a resource, but the script as it was when
 * it was checked. What is taken stays what it is, whatever happens to the folder meanwhile.
 *
 * @throws ToolError `script_folder_size` where there is more than may be brought along, `script_name` for a script
 * that cannot be brought along under its name.
 */
export async function scriptFiles(
  script: FileScript,
  limits: ScriptLimits,
  signal: AbortSignal,
): Promise<ScriptFiles> {
  const { root, folder } = script;
  if (namelessSomewhere.test(script.name)) {
    const message = `${script.name} cannot be run: not every system has files with such a name.`;
    throw new ToolError(message, { code: "script_name" });
  }
  const start = relative(root, folder).split(sep).filter(Boolean);
  const budget = { folders: limits.maxFiles };
  const turn = { since: performance.now() };
  const walk: Walk = { root, shown: ".", signal, problems: [], budget, looks: [], turn };
  const files: SandboxFile[] = [{ path: script.name, content: script.source }];
  const leftOut: string[] = [];
  let room = limits.maxFolderSize;
  const take = async (segments: readonly string[]): Promise<void> => {
    const path = segments.slice(start.length).join("/");
    if (path === script.name) return;
    if (files.length >= limits.maxFiles) throw tooMuch(`more than ${limits.maxFiles} files`);
    if (namelessSomewhere.test(path)) {
      leftOut.push(`${path} (its name is none everywhere)`);
      return;
    }
    const read = await readBytes(root, segments, room);
    if (read.refusal?.code === "file_size")
      throw tooMuch(`more than ${limits.maxFolderSize} bytes`);
    if (read.refusal !== undefined) {
      leftOut.push(`${path} (${read.refusal.message})`);
      return;
    }
    room -= read.bytes.length;
    files.push({ path, content: read.bytes, executable: read.executable });
  };
  const visit = async (segments: readonly string[]): Promise<void> => {
    if (segments.length - start.length > maxDepth) throw tooMuch(`folders ${maxDepth} deep`);
    const { entries = [] } = (await readFolder(walk, segments)) ?? {};
    for (const entry of entries) {
      if (skipped.has(entry.name)) continue;
      await (entry.isDirectory() ? visit : take)([...segments, entry.name]);
    }
  };
  await visit(start);
  if (budget.folders < 0) throw tooMuch(`more than ${limits.maxFiles} folders`);
  leftOut.push(...walk.problems.map(({ message, file }) => `${file} (${message})`));
  return { files, leftOut };
}

function tooMuch(what: string): ToolError {
  const message = `The folder of the skill has ${what}, which is more than its scripts may bring along.`;
  return new ToolError(message, { code: "script_folder_size" });
}
