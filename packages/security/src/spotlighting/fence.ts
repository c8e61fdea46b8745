import { foldText } from "./fold-text.js";

/** What stands in both lines of a fence. */
const word = "external_content";
/** A marker of ours, as it may look to a reader: with blanks, slashes and escapes in it. */
const lookAlike = /(?:<|&lt;?|&#0*60;?|&#x0*3c;?|\\u003c|\\x3c)[\s\\/]*external[\s_-]*content/g;

/** What a fence says of the text in it. */
export interface FenceTerms {
  /** What the text cannot know, so that it cannot end its fence. */
  readonly id: string;
  /** Where the text is from, such as the name of a tool. */
  readonly source: string;
}

/**
 * A text between two lines that nobody who wrote it can have foreseen. Markers that look like ours are
 * defused, whatever they hold and however they are spelt; the rest stays as it is.
 */
export function fenced(text: string, { id, source }: FenceTerms): string {
  return `<${word} id="${id}" source="${attribute(source)}">\n${defused(text)}\n</${word} id="${id}">`;
}

/** Each marker loses what makes it one, its first bracket. */
function defused(text: string): string {
  const { folded, at } = foldText(text);
  let out = "";
  let done = 0;
  for (const { index, 0: found } of folded.matchAll(lookAlike)) {
    const bracket = bracketLength(found);
    const start = at[index] ?? text.length;
    out += `${text.slice(done, start)}‹`;
    done = at[index + bracket] ?? text.length;
  }
  return out + text.slice(done);
}

/** How much of a marker is its bracket, or what stands for one. */
function bracketLength(marker: string): number {
  return /^(?:<|&lt;?|&#0*60;?|&#x0*3c;?|\\u003c|\\x3c)/.exec(marker)?.[0].length ?? 1;
}

function attribute(source: string): string {
  return source
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .slice(0, 100)
    .replace(/["<>&‹›]/g, "'");
}
