/**
 * The words of a text, for the index and for queries alike. Names are taken apart before case is lost:
 * `parseXMLFeed` is parse, xml and feed, and also parsexmlfeed, as somebody may write it. Scripts without blanks
 * between words are taken apart into characters and pairs of them.
 */
export function wordsOf(text: string): readonly string[] {
  return (text.normalize("NFKC").match(runs) ?? []).flatMap((run) => {
    const parts = run.match(partsOfRun) ?? [];
    const words = parts.flatMap((part) => (unspaced.test(part) ? pieces(part) : [part]));
    const whole = parts.length > 1 && !unspaced.test(run) ? [run] : [];
    return [...words, ...whole].map((word) => word.toLowerCase());
  });
}

/** A text without its blanks, punctuation and case: what is left is the same in every way of writing a name. */
export function lettersOf(text: string): string {
  return (text.normalize("NFKC").match(runs) ?? []).join("").toLowerCase();
}

/** What stands between two of these, such as `_`, `-`, `.` and blanks, ends a word. */
const runs = /[\p{L}\p{M}\p{N}]+/gu;

const scripts = ["Han", "Hira", "Kana", "Hang", "Thai", "Laoo", "Khmr", "Mymr"];
const letter = `[${scripts.map((script) => `\\p{scx=${script}}`).join("")}]`;
const unspaced = new RegExp(letter, "u");

const partsOfRun = new RegExp(
  [
    `${letter}+`,
    // Capitals up to the one that begins the next word: XML in XMLFeed.
    "\\p{Lu}+(?!\\p{Ll})\\p{M}*",
    "[\\p{Lu}\\p{Lt}]?[\\p{Ll}\\p{M}]+",
    "\\p{N}+",
    `(?:(?!${letter})[\\p{Lo}\\p{Lm}\\p{Lt}\\p{M}])+`,
  ].join("|"),
  "gu",
);

function pieces(part: string): readonly string[] {
  const characters = [...part];
  const pairs = characters.slice(1).map((character, at) => `${characters[at]}${character}`);
  return [...characters, ...pairs];
}
