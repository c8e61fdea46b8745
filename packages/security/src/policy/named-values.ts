import type { JsonValue } from "@tunic/core";

/** Values that an attacker does not choose freely: what the user has written. */
export interface NamedValues {
  /** Whether the user has written this value, as a whole word. */
  has(value: JsonValue): boolean;
  /** Whether the user has written this link, letter by letter. */
  hasLink(link: string): boolean;
  /** What choosing one of them can say, in bits. */
  readonly bits: number;
}

/** @param texts What the user has written, trusted as such. */
export function namedValues(texts: readonly string[]): NamedValues {
  const text = texts.join("\n");
  const lower = text.toLowerCase();
  return {
    has: (value) => spellings(value).some((spelling) => holdsWord(lower, spelling)),
    hasLink: (link) => link !== "" && holdsLink(text, link),
    get bits() {
      return Math.max(1, Math.log2(new Set(lower.match(/[\p{L}\p{N}]+/gu)).size || 1));
    },
  };
}

/** How a value may have been written down. */
function spellings(value: JsonValue): readonly string[] {
  if (typeof value === "number") return [String(value), value.toFixed(2)];
  if (typeof value !== "string") return [];
  const text = value.trim().toLowerCase();
  // One letter says nothing, and stands in every text.
  return text.length > 1 || /\p{N}/u.test(text) ? [text] : [];
}

const inWord = /[\p{L}\p{N}_@]/u;

/** A whole word: `eve` does not stand in `every`, nor `a@b.c` in `aa@b.c`, nor `1.5` in `11.5` or `1.55`. */
function holdsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (isEdge(text, at - 1, -1) && isEdge(text, at + word.length, 1)) return true;
  }
  return false;
}

/** Dots and hyphens join words where a word goes on behind them: `a.com` does not stand in `a.com.evil`. */
function isEdge(text: string, at: number, step: 1 | -1): boolean {
  const character = text[at];
  if (character === undefined) return true;
  if (inWord.test(character)) return false;
  if (!/[.\-/:+]/.test(character)) return true;
  const next = text[at + step];
  return next === undefined || !inWord.test(next);
}

/** A link ends where it was written to end: `a.com/x` is not written where `a.com/xy` is. */
function holdsLink(text: string, link: string): boolean {
  for (let at = text.indexOf(link); at >= 0; at = text.indexOf(link, at + 1)) {
    const end = text.slice(at + link.length).match(/^[^\s"'<>)\]]*/)?.[0] ?? "";
    const before = text[at - 1] ?? " ";
    if (/^[.,;:!?]*$/.test(end) && !/[\p{L}\p{N}.\-/]/u.test(before)) return true;
  }
  return false;
}

/** Whether a value is so special that it does not stand in a text by chance, as `13` or `to` do. */
export function isSpecific(value: JsonValue): boolean {
  return typeof value === "string" && value.trim().length > 3 && /\p{L}/u.test(value);
}

/** Whether a value is too small to carry a message: a switch, a day or time of day. */
export function isBounded(value: JsonValue): boolean {
  if (value === null || typeof value === "boolean" || value === "") return true;
  if (typeof value === "number") return true;
  if (typeof value === "object") return Object.keys(value).length === 0;
  return typeof value === "string" && dateTime.test(value);
}

const dateTime =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?)?$|^\d{2}:\d{2}(?::\d{2})?$/;

/** The most that a bounded value can say, in bits. */
export function bitsOf(value: JsonValue): number {
  if (typeof value === "boolean") return 1;
  if (typeof value === "number") {
    // A sign, and as many numbers as are no greater; a fraction can be any of the numbers that there are.
    return Number.isSafeInteger(value) ? 1 + Math.log2(Math.abs(value) + 1) : 64;
  }
  if (typeof value !== "string") return 0;
  return value.replace(/\D/g, "").length * Math.log2(10);
}
