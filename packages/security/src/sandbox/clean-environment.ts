import type { PrivateFolder } from "./private-folder.js";
import { absoluteFolders } from "./program-path.js";

/** What says how texts are written and when it is, and no more. */
const everywhere = ["LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TZ"];
/** Without these, programs do not start on Windows. */
const onWindows = [
  "SystemRoot",
  "SystemDrive",
  "windir",
  "ComSpec",
  "PATHEXT",
  "NUMBER_OF_PROCESSORS",
  "PROCESSOR_ARCHITECTURE",
];

/**
 * The environment of a run: nothing of this program's but what is listed here and what is named in `inherit`, with
 * folders of its own for what programs write beside their work.
 */
export function cleanEnvironment(
  { home, temporary }: PrivateFolder,
  inherit: readonly string[],
  ...more: readonly Readonly<Record<string, string>>[]
): Readonly<Record<string, string>> {
  const windows = process.platform === "win32";
  const names = [...everywhere, ...(windows ? onWindows : []), ...inherit];
  const passed = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    PATH: absoluteFolders(process.env["PATH"]),
    HOME: home,
    TMPDIR: temporary,
    ...(windows && { USERPROFILE: home, TEMP: temporary, TMP: temporary }),
    ...Object.fromEntries(passed),
    // Not by assignment: a variable may be called "__proto__".
    ...Object.fromEntries(more.flatMap((each) => Object.entries(each))),
  };
}
