import { chmod, lstat, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ConfigurationError } from "@tunic/core";
import type { SandboxFile } from "./sandbox.js";

/** The folders of one run, which nobody else can look into. */
export interface PrivateFolder {
  readonly path: string;
  /** Where a command starts, with its files. */
  readonly work: string;
  readonly home: string;
  readonly temporary: string;
}

/** Makes the folders of a run and writes its files. */
export async function makePrivateFolder(files: readonly SandboxFile[]): Promise<PrivateFolder> {
  const targets = files.map((file) => ({ file, names: namesOf(file.path) }));
  // A real path, so that programs which ask where they are hear the same.
  const path = await mkdtemp(join(await realpath(tmpdir()), "tunic-sandbox-"));
  const [work, home, temporary] = [join(path, "work"), join(path, "home"), join(path, "tmp")];
  try {
    await Promise.all([work, home, temporary].map((each) => mkdir(each, { mode: 0o700 })));
    for (const { file, names } of targets) {
      const target = join(work, ...names);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      // "wx": two names can be one for the system, which would make the second replace the first.
      await writeFile(target, file.content, { flag: "wx", mode: file.executable ? 0o700 : 0o600 });
    }
    return { path, work, home, temporary };
  } catch (error) {
    await removePrivateFolder(path);
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw unfit(`two of its files have one name for this system (${error.message})`);
    }
    throw error;
  }
}

/** Removes the folders of a run; false where that cannot be done. */
export async function removePrivateFolder(path: string): Promise<boolean> {
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 3 });
  try {
    await remove().catch(async () => {
      // A folder that a program closed to us is open to its owner again.
      await openFolders(path);
      await remove();
    });
    return true;
  } catch {
    return false;
  }
}

async function openFolders(path: string): Promise<void> {
  const stats = await lstat(path);
  if (!stats.isDirectory()) return;
  await chmod(path, 0o700);
  for (const name of await readdir(path)) await openFolders(join(path, name));
}

/** The names in a path that leads nowhere but down, on every system. */
function namesOf(path: string): readonly string[] {
  const names = String(path).split("/");
  const plain = names.every((name) => !["", ".", ".."].includes(name) && !/[\\\0:]/.test(name));
  if (plain) return names;
  throw unfit(`${JSON.stringify(path)} is no path below its folder, such as "scripts/tie.py"`);
}

function unfit(what: string): ConfigurationError {
  return new ConfigurationError("sandbox_command", `The command cannot be run: ${what}.`);
}
