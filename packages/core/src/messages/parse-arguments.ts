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
  // Strings are skipped whole: brackets in them nest nothing.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    if (depth > deepest) return true;
  }
  return false;
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
