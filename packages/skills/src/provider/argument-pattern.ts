/** What no part of a text may hold that a pattern leaves open: a shell would read it as more than a word. */
const beyondWord = /[\s;|&$`<>()\p{Cc}\p{Zl}\p{Zp}]/u;
/** The same, without the blanks between words. */
const beyondWords = /[;|&$`<>()\p{Zl}\p{Zp}]|(?![\t])\p{Cc}/u;

/** Patterns come from others, too: matching takes no longer than their length times that of the text. */
const longestPattern = 200;
const longestText = 10_000;

/** Whether a pattern says something that {@link fitsPattern} can hold a call to. */
export function isPattern(pattern: string): boolean {
  const words = wordsOf(pattern);
  return words !== "" && words.trim() === words && pattern.length <= longestPattern;
}

/**
 * Whether an argument is what a pattern of `allowed-tools` means. `git log:*`: these words, alone or with
 * more behind them, in which there is nothing that a shell acts on (`; | & $ < > ( )`, backticks, line ends).
 * `*` elsewhere: any part of one word, with no way up (`..`) in it. Everything else stands for itself.
 */
export function fitsPattern(pattern: string, value: unknown): boolean {
  if (typeof value !== "string" || value.length > longestText || !isPattern(pattern)) return false;
  const words = wordsOf(pattern);
  if (words === pattern) return fitsWords(pattern, value);
  const end = endOfWords(value, words.match(/[ \t]/g)?.length ?? 0);
  return fitsWords(words, value.slice(0, end)) && !beyondWords.test(value.slice(end));
}

function wordsOf(pattern: string): string {
  return pattern.endsWith(":*") ? pattern.slice(0, -2) : pattern;
}

/** Where a text ends that has so many blanks: before the next one. */
function endOfWords(text: string, blanks: number): number {
  let left = blanks;
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== " " && text[at] !== "\t") continue;
    if (left === 0) return at;
    left--;
  }
  return text.length;
}

function fitsWords(pattern: string, text: string): boolean {
  if (!pattern.includes("*")) return pattern === text;
  return stepsUp(text) <= stepsUp(pattern) && fitsStars(pattern, text);
}

function stepsUp(text: string): number {
  return text.match(/\.\./g)?.length ?? 0;
}

/** Each star takes as little as it can, and more only where what follows does not fit otherwise. */
function fitsStars(pattern: string, text: string): boolean {
  let inPattern = 0;
  let inText = 0;
  let star = -1;
  let taken = 0;
  while (inText < text.length) {
    const sign = pattern[inPattern];
    if (sign === "*") {
      star = inPattern++;
      taken = inText;
    } else if (sign !== undefined && sign === text[inText]) {
      inPattern++;
      inText++;
    } else if (star >= 0 && !beyondWord.test(text.charAt(taken))) {
      inPattern = star + 1;
      inText = ++taken;
    } else return false;
  }
  while (pattern[inPattern] === "*") inPattern++;
  return inPattern === pattern.length;
}
