import { createHash } from "node:crypto";
import { ConfigurationError } from "@tunic/core";

/** The longest name that all model services take. */
const longest = 64;
const hashLength = 8;
/** Of a server's label: something has to be left for the tool. */
const longestLabel = 40;

/**
 * The name of a server's tool for a model: `<prefix>_<tool>`, in letters, digits, `_` and `-`, at most 64 of
 * them. Where that is not the server's own name, letter by letter, a hash of that name stands at the end: two
 * different names never become one.
 */
export function toolName(prefix: string, remoteName: string): string {
  const wanted = `${prefix}_${remoteName}`;
  const plain = wanted.replace(/[^A-Za-z0-9_-]/g, "-");
  if (plain === wanted && wanted.length <= longest) return wanted;
  const hash = createHash("sha256").update(wanted).digest("hex").slice(0, hashLength);
  return `${plain.slice(0, longest - hashLength - 1)}_${hash}`;
}

/**
 * Checks what the names of a server's tools begin with. It does not begin or end with `_` or `-`, so that it
 * shows where it ends.
 *
 * @throws ConfigurationError `invalid_option`.
 */
export function checkPrefix(option: string, prefix: unknown): asserts prefix is string {
  const isFit =
    typeof prefix === "string" &&
    prefix.length <= longestLabel &&
    /^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?$/.test(prefix);
  if (isFit) return;
  throw new ConfigurationError(
    "invalid_option",
    `mcpTools(): ${option} must be 1 to ${longestLabel} letters, digits, "_" and "-", the first and last of them a letter or a digit; got ${JSON.stringify(prefix)}.`,
  );
}

/** A text as a label, or undefined where nothing of it can stand in one. */
export function asLabel(text: string): string | undefined {
  const plain = text.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, longestLabel);
  return plain.replace(/^[_-]+|[_-]+$/g, "") || undefined;
}
