import { statSync } from "node:fs";
import type { ChildTerms } from "./child-process.js";

/** Why a program could not be started. What the system says of it is often about something else. */
export function startFailure(error: Error, terms: ChildTerms): Error {
  // Whoever prints the error would print them: there may be secrets in them.
  Reflect.deleteProperty(error, "spawnargs");
  if (!("code" in error) || (error.code !== "ENOENT" && error.code !== "ENOTDIR")) return error;
  const { command, args, cwd } = terms;
  // The system tells of the program.
  if (cwd !== undefined && !isFolder(cwd)) return new Error("the folder in `cwd` is not there");
  if (/\s/.test(command)) return hinted(error, "what follows the blank goes into `args`");
  if (args.length > 0 || !/^[\w.-]+\/|^localhost\b/i.test(command)) return error;
  return hinted(error, "an address begins with http:// or https://");
}

function hinted(error: Error, hint: string): Error {
  error.message += ` (${hint})`;
  return error;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
