import { basename, extname } from "node:path";
import { ConfigurationError } from "@tunic/core";
import type { FileScript } from "./file-options.js";

/** A program with the words that stand before the path of a script. */
export type Interpreter = readonly [program: string, ...args: readonly string[]];

/** Which program runs which scripts, by extension with the dot. */
export type Interpreters = ReadonlyMap<string, Interpreter>;

const node: Interpreter = [process.execPath];
const shell: Interpreter = ["sh"];

const defaults: readonly (readonly [string, Interpreter])[] = [
  [".py", [process.platform === "win32" ? "python" : "python3"]],
  [".js", node],
  [".mjs", node],
  [".cjs", node],
  [".sh", shell],
  [".bash", ["bash"]],
];

/** @throws ConfigurationError `invalid_option`. */
export function interpretersOf(
  configured: Readonly<Record<string, readonly string[]>>,
): Interpreters {
  const own = Object.entries(configured).map(([extension, words]): [string, Interpreter] => {
    const [program, ...args] = words;
    if (/^[^./\\\s]+$/.test(extension)) {
      throw new ConfigurationError(
        "invalid_option",
        `processScriptRunner: an extension in \`interpreters\` begins with a dot; write { ".${extension}": […] }.`,
      );
    }
    if (!/^\.[^./\\\s]+$/.test(extension) || program === undefined || program === "") {
      throw new ConfigurationError(
        "invalid_option",
        'processScriptRunner: `interpreters` must be an object such as { ".rb": ["ruby"] }.',
      );
    }
    return [extension.toLowerCase(), [program, ...args]];
  });
  return new Map([...defaults, ...own]);
}

/** The program for a script; undefined where there is none. */
export function interpreterOf(
  interpreters: Interpreters,
  { name, source }: FileScript,
): Interpreter | undefined {
  const interpreter = interpreters.get(extname(name).toLowerCase());
  // Most of what is called .sh is written for bash, and says so.
  return interpreter === shell && saysBash(source) ? ["bash"] : interpreter;
}

function saysBash(source: Uint8Array): boolean {
  const [line = ""] = new TextDecoder().decode(source.subarray(0, 200)).split(/\r?\n/, 1);
  const words = /^#!\s*(.*)$/.exec(line)?.[1]?.trim().split(/\s+/) ?? [];
  return words.slice(0, 2).some((word) => basename(word) === "bash");
}
