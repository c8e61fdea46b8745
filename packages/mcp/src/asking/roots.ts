import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { ConfigurationError } from "@tunic/core";

/** A folder or file that a server is told to work in. */
export interface McpRoot {
  /** With `file:`. */
  readonly uri: string;
  /** For people. */
  readonly name?: string | undefined;
}

/** @throws ConfigurationError `invalid_option`, saying what to write. */
export function readRoots(roots: readonly (string | McpRoot)[]): McpRoot[] {
  if (!Array.isArray(roots)) throw wrong(roots);
  return roots.map((root: string | McpRoot) => {
    if (typeof root === "string") return { uri: asUri(root) };
    if (typeof root?.uri !== "string") throw wrong(root);
    const { uri, name } = root;
    return { uri: asUri(uri), ...(typeof name === "string" && { name }) };
  });
}

function asUri(root: string): string {
  if (/^file:/i.test(root) && URL.canParse(root)) return root;
  if (isAbsolute(root)) return pathToFileURL(root).href;
  throw wrong(root);
}

function wrong(root: unknown): ConfigurationError {
  return new ConfigurationError(
    "invalid_option",
    `mcpTools(): roots must be absolute paths, addresses with "file:", or { uri, name } with such an address; got ${JSON.stringify(root)}.`,
  );
}
