import type { JsonObject, JsonValue } from "@tunic/core";
import { asReference } from "../tree/reference.js";

/** Shorter texts may well stand in a longer one by chance. */
const shortestPart = 8;

/** How many characters are compared, before everything counts as a repetition. */
const mostCompared = 50_000_000;

/**
 * Hides what repeats an untrusted argument: a tool that says back what it was asked brings nothing of its
 * own, whether it says all of it, a part, or more; upper and lower case, blanks and other signs aside.
 * References stay as they are.
 *
 * @param said The untrusted texts and numbers of the arguments.
 */
export function hideRepeats(
  value: JsonValue,
  said: readonly (string | number)[],
  keep: (value: JsonValue) => JsonValue,
): JsonValue {
  const numbers = new Set(said.map(String));
  const texts = said.filter((each) => typeof each === "string").map(letters);
  let compared = 0;
  const repeats = (each: string): boolean => {
    const text = letters(each);
    return (
      numbers.has(each) ||
      texts.some((other) => {
        compared += text.length + other.length;
        if (compared > mostCompared) return true;
        return text.includes(other) || (text.length >= shortestPart && other.includes(text));
      })
    );
  };
  const isRepetition = (each: JsonValue): boolean =>
    typeof each === "string" ? repeats(each) : numbers.has(String(each));
  const hidden = (each: JsonValue): JsonValue => {
    if (typeof each !== "object") return isRepetition(each) ? keep(each) : each;
    if (each === null || asReference(each)) return each;
    if (Array.isArray(each)) return each.map(hidden);
    const entries = Object.entries(each as JsonObject);
    // A name cannot be hidden alone.
    if (entries.some(([name]) => repeats(name))) return keep(each);
    return Object.fromEntries(entries.map(([name, member]) => [name, hidden(member)]));
  };
  return hidden(value);
}

/** What is left of a text when it is written in another way; all of it, where that is nothing. */
function letters(text: string): string {
  const bare = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
  return bare === "" ? text : bare;
}
