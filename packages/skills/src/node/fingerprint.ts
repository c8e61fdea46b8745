import { createHash } from "node:crypto";
import type { SandboxFile } from "@tunic/security";
import type { SkillContext } from "../skill.js";
import type { FileScript } from "./file-options.js";
import { type ScriptLimits, scriptFiles } from "./script-files.js";
import { compareText } from "./walk-folders.js";

/** How much of a folder a script may bring along, where nobody says otherwise. */
export const defaultLimits: ScriptLimits = { maxFiles: 2000, maxFolderSize: 2 ** 25 };

export function digestOf(data: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(data).digest("hex")}`;
}

/** A digest of a script and of all that goes along with it: which one it is, and each file's name, mode and content. */
export function filesDigest(script: string, files: readonly SandboxFile[]): string {
  const hash = createHash("sha256");
  const sorted = [...files].sort((a, b) => compareText(a.path, b.path));
  hash.update(`${JSON.stringify(["tunic script 1", script])}\n`);
  for (const { path, content, executable = false } of sorted) {
    const bytes = Buffer.from(content);
    // With its length before it, no content can be taken for the next file.
    hash.update(`${JSON.stringify([path, executable, bytes.length])}\n`).update(bytes);
  }
  return `sha256:${hash.digest("hex")}`;
}

/** What would run of a script now. */
export async function scriptFingerprint(
  script: FileScript,
  { signal }: SkillContext,
  limits = defaultLimits,
): Promise<string> {
  const { files } = await scriptFiles(script, limits, signal);
  return filesDigest(script.name, files);
}
