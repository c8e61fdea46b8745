import { isJsonObject, type JsonObject } from "./json.js";

/** The arguments of a call, or why its text is no object. */
export type ParsedArguments =
  | { readonly arguments: JsonObject }
  | { readonly argumentsText: string; readonly parseError: string };

/**
 * Reads the text of a call's arguments. Blank text means `{}` (services send it for tools without
 * parameters); a JSON text that holds an object once more is unwrapped; anything else that is not
 * an object is kept as it came, with the reason.
 */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === "") return { arguments: {} };
  if (nests(text)) {
    return {
      argumentsText: text,
      parseError: `The arguments are nested more than ${deepest} levels deep.`,
    };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
    // Some services encode twice. Only the outer text is unwrapped, and only into an object.
    if (typeof value === "string") value = unwrapped(value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { argumentsText: text, parseError: `The arguments are not valid JSON: ${reason}` };
  }
  if (isJsonObject(value)) return { arguments: value };
  return {
    argumentsText: text,
    parseError: `The arguments must be a JSON object; got ${kindOf(value)}.`,
  };
}

/** Deeper JSON can be read, but not written again: that works by recursion. */
const deepest = 1000;

function nests(text: string): boolean {
  if (text.length < 2 * deepest) return false;
  let depth = 0;
  // By hand: a regular expression runs out of stack over a string of some megabytes.
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if (depth > deepest) return true;
  }
  return false;
}

/** Where the string that begins at a place ends; brackets in it nest nothing. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at;
    if (text[at] === "\\") at++;
  }
  return text.length;
}

function unwrapped(text: string): unknown {
  try {
    const inner: unknown = JSON.parse(text);
    return isJsonObject(inner) ? inner : text;
  } catch {
    return text;
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
