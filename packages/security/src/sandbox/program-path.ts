import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, extname, isAbsolute, join } from "node:path";

/** Those of Windows that need no shell. */
const suffixes = process.platform === "win32" ? ["", ".exe", ".com"] : [""];

/**
 * The path of a program: as it is where it is absolute, or else the first on a search path. Unlike what systems
 * do, nothing is taken from the folder where a command starts.
 *
 * @returns undefined where there is none.
 */
export async function programPath(
  program: string,
  searchPath: string | undefined,
): Promise<string | undefined> {
  const folders = isAbsolute(program) ? [""] : absoluteFolders(searchPath).split(delimiter);
  for (const folder of folders) {
    for (const suffix of suffixes) {
      const path = join(folder, `${program}${suffix}`);
      if (suffix === "" && suffixes.length > 1 && extname(program) === "") continue;
      if (isAbsolute(path) && (await isProgram(path))) return path;
    }
  }
  return undefined;
}

/** A search path without what would be looked for where a command starts. */
export function absoluteFolders(searchPath = ""): string {
  return searchPath
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .join(delimiter);
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
