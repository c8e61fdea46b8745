/** A text as a careless reader sees it, and where each of its characters stands in the text. */
export interface FoldedText {
  readonly folded: string;
  /** For each UTF-16 unit of `folded`, and for its end, an index in the text. */
  readonly at: readonly number[];
}

/** Angle brackets and low lines that are neither by compatibility (NFKC), but look so. */
const alike: ReadonlyMap<string, string> = new Map([
  ..."‹〈❮⟨〈˂ᐸ⧼❬≺".split("").map((each) => [each, "<"] as const),
  ..."⁄∕⧸╱⟋".split("").map((each) => [each, "/"] as const),
  ..."ˍ‗‐‑‒–—−".split("").map((each) => [each, "_"] as const),
  // The Cyrillic and Greek letters that look like those of our word.
  ...Object.entries({ е: "e", х: "x", т: "t", г: "r", п: "n", а: "a", ӏ: "l", с: "c", о: "o" }),
  ...Object.entries({ ε: "e", χ: "x", τ: "t", η: "n", α: "a", ι: "l", ο: "o", ϲ: "c" }),
]);

/** What takes no room, or only sits on another character. */
const unseen = /^[\p{Cf}\p{Mn}\p{Me}\p{Cc}\p{Default_Ignorable_Code_Point}]$/u;

/** Compatibility forms, case, what is not seen, and what looks alike are undone. */
export function foldText(text: string): FoldedText {
  const parts: string[] = [];
  const at: number[] = [];
  let index = 0;
  for (const character of text) {
    const seen = foldCharacter(character);
    for (let unit = 0; unit < seen.length; unit++) at.push(index);
    parts.push(seen);
    index += character.length;
  }
  at.push(index);
  return { folded: parts.join(""), at };
}

function foldCharacter(character: string): string {
  if (character < "\u007f" && character >= " ") return character.toLowerCase();
  if (/\s/u.test(character)) return " ";
  if (unseen.test(character)) return "";
  let folded = "";
  for (const part of character.normalize("NFKD").toLowerCase()) {
    if (!unseen.test(part)) folded += alike.get(part) ?? part;
  }
  return folded;
}
