import type { JsonValue } from "@tunic/core";

/** Beyond so many characters a text is not read. */
const longestText = 5_000_000;

/** Deeper JSON can be read, but not written again, which works by recursion. */
const deepestValue = 500;

/**
 * The object or list that a text is the JSON of, as the text of a tool's result usually is. Undefined
 * for any other text, for one of more than 5 million characters, and for one that is nested deeper than
 * 500 levels: such a text is one thing, and whatever may hold for a part of it holds for it whole.
 *
 * Read as `JSON.parse` does: numbers of more digits than a double has are rounded, and of members of the
 * same name the last counts. A text of which nothing is changed is therefore better kept than written anew.
 */
export function jsonIn(text: string): JsonValue | undefined {
  if (text.length > longestText || !/^[\t\n\r ]*[[{]/.test(text)) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isDeeper(value, deepestValue) ? undefined : value;
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  const members: readonly JsonValue[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeper(member, levels - 1));
}

/**
 * Whether a JSON text has members that are not in what was read of it, because one of the same name comes
 * behind them.
 */
export function hasLostNames(text: string, value: JsonValue): boolean {
  let written = 0;
  for (const [, colon] of text.matchAll(textInJson)) if (colon !== undefined) written++;
  return written !== membersIn(value);
}

const textInJson = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

function membersIn(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, each: JsonValue) => sum + membersIn(each), own);
}
