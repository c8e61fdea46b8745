import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { parseArgs } from "node:util";

const commands = ["validate", "list", "show"] as const;

/** What the program `tunic-skills` is to do. */
export interface CliArguments {
  readonly command: (typeof commands)[number];
  /** One at least. Of a `SKILL.md` that was named, the folder. */
  readonly folders: readonly string[];
  readonly fix: boolean;
  readonly json: boolean;
  readonly name: string | undefined;
}

/** How the program is called, for people. */
export const usage = `tunic-skills validate <folder …> [--fix] [--json]          whether skills keep the specification
tunic-skills list <folder …> [--name <skill>] [--json]     what an agent would load, and from where
tunic-skills show <folder …> [--name <skill>] [--json]     all of it, and which files are left out
`;

/** The arguments, or `help` where that is asked for, or what is wrong with them, in a sentence. */
export function readCliArguments(args: readonly string[]): CliArguments | "help" | Error {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        fix: { type: "boolean" },
        help: { type: "boolean", short: "h" },
        json: { type: "boolean" },
        name: { type: "string" },
      },
      allowPositionals: true,
    });
    const { fix = false, help = false, json = false, name } = values;
    if (help) return "help";
    const [word, ...paths] = positionals;
    const command = commands.find((each) => each === word);
    if (word === undefined) return new Error("What is to be done? Write a command first.");
    if (command === undefined) {
      return new Error(`There is no command "${word}"; there are validate, list and show.`);
    }
    if (fix && command !== "validate") {
      return new Error(`--fix changes files, and ${command} only reads: write validate --fix.`);
    }
    if (name !== undefined && command === "validate") {
      return new Error("validate has no --name: give it the folder of the skill.");
    }
    if (paths.length === 0) return new Error(`${command} of what? Write a folder behind it.`);
    return { command, folders: paths.map(folderOf), fix, json, name };
  } catch (error) {
    return error instanceof Error ? sentenceOf(error) : new Error(String(error));
  }
}

/** Of what the parser says, without its advice on words that begin with a hyphen. */
function sentenceOf({ message }: Error): Error {
  const [first = ""] = message.split(/\.\s/);
  return new Error(first.endsWith(".") ? first : `${first}.`);
}

/**
 * The folder of a `SKILL.md`, or else what was given: that a folder is not there is a problem of it.
 *
 * @throws Error for another file.
 */
function folderOf(path: string): string {
  if (!isFile(path)) return path;
  if (basename(path).toUpperCase() === "SKILL.MD") return dirname(path);
  throw new Error(`${path} is a file; write a folder, or a SKILL.md.`);
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
