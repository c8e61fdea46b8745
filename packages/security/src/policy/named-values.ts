import type { JsonValue } from "@tunic/core";

/** Values that an attacker does not choose freely: what the user has written. */
export interface NamedValues {
  /**
   * What choosing this value can say, in bits, if the user has written it, as a whole word; undefined if not.
   * Each letter that is upper case here and lower case there, or the other way round, is a choice as well.
   */
  bitsFor(value: JsonValue): number | undefined;
  /** Whether the user has written this link, letter by letter. */
  hasLink(link: string): boolean;
}

/**
 * Upper and lower case are taken for the same, letters that only look alike are not.
 *
 * @param texts What the user has written, trusted as such. Nothing stands in two of them.
 */
export function namedValues(texts: readonly string[]): NamedValues {
  const lower = texts.map((text) => text.toLowerCase());
  let counted: number | undefined;
  const bits = (): number => {
    counted ??= Math.log2(
      new Set(lower.flatMap((text) => text.match(/[\p{L}\p{N}]+/gu) ?? [])).size || 1,
    );
    return Math.max(1, counted);
  };
  return {
    bitsFor(value) {
      const written = spellings(value);
      if (written.some((spelling) => texts.some((text) => holdsWord(text, spelling))))
        return bits();
      const folded = written.find(
        (spelling) =>
          foldsPlainly(spelling) && lower.some((text) => holdsWord(text, spelling.toLowerCase())),
      );
      return folded === undefined ? undefined : bits() + (folded.match(/\p{L}/gu)?.length ?? 0);
    },
    hasLink: (link) => link !== "" && texts.some((text) => holdsLink(text, link)),
  };
}

/** Whether its lower case stands for nothing else: that of the Kelvin sign is an ordinary `k`. */
function foldsPlainly(text: string): boolean {
  return text.toLowerCase().toUpperCase() === text.toUpperCase();
}

/** How a value may have been written down. */
function spellings(value: JsonValue): readonly string[] {
  if (typeof value === "number") {
    const cents = value.toFixed(2);
    // Rounded it would be another number.
    return Number(cents) === value ? [String(value), cents] : [String(value)];
  }
  if (typeof value !== "string") return [];
  const text = value.trim();
  // One letter says nothing, and stands in every text.
  return text.length > 1 || /\p{N}/u.test(text) ? [text] : [];
}

const inWord = /[\p{L}\p{M}\p{N}_@]/u;

/** A whole word: `eve` does not stand in `every`, nor `a@b.c` in `aa@b.c`, nor `1.5` in `11.5` or `1.55`. */
function holdsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (isEdge(text, at, -1) && isEdge(text, at + word.length, 1)) return true;
  }
  return false;
}

/**
 * Dots and hyphens join words where a word goes on behind them: `a.com` does not stand in `a.com.evil`. A
 * comma joins digits: `500` does not stand in `1,500`.
 */
function isEdge(text: string, at: number, step: 1 | -1): boolean {
  const character = beside(text, at, step);
  if (character === "") return true;
  if (inWord.test(character)) return false;
  if (!/[.\-/:+,]/.test(character)) return true;
  const next = beside(text, at + step, step);
  if (character !== ",") return next === "" || !inWord.test(next);
  return !(/\p{N}/u.test(next) && /\p{N}/u.test(beside(text, at, step === 1 ? -1 : 1)));
}

/** The whole character behind or before a place in a text; empty at its ends. */
function beside(text: string, at: number, step: 1 | -1): string {
  const code = step === 1 ? text.codePointAt(at) : undefined;
  if (step === 1) return code === undefined ? "" : String.fromCodePoint(code);
  const before = text.slice(Math.max(0, at - 2), at);
  return [...before].at(-1) ?? "";
}

/** A link ends where it was written to end: `a.com/x` is not written where `a.com/xy` is. */
function holdsLink(text: string, link: string): boolean {
  for (let at = text.indexOf(link); at >= 0; at = text.indexOf(link, at + 1)) {
    linkOver.lastIndex = at + link.length;
    if (linkOver.test(text) && !/[\p{L}\p{N}.\-/]/u.test(beside(text, at, -1))) return true;
  }
  return false;
}

const linkOver = /[.,;:!?]{0,20}(?=[\s"'<>)\]]|$)/y;

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
