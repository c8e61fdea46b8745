/** A skill file, taken apart at its fences. Line ends are `\n`, and there is no byte order mark. */
export interface SkillText {
  /** Between the fences; undefined where they are missing or open. */
  readonly yaml: string | undefined;
  /** The line of the file on which `yaml` begins, counted from 1. */
  readonly yamlLine: number;
  /** After the closing fence, without the line end behind it; the whole text where there is no frontmatter. */
  readonly body: string;
  readonly byteOrderMark: boolean;
  /** Comments or blank lines stand before the opening fence. */
  readonly leadingLines: boolean;
  readonly fences: "closed" | "open" | "none";
}

/** How lines end, in whatever system a file was written. */
export const lineEnd = /\r\n|\r|\n/;

const byteOrderMark = "\uFEFF";
const fence = /^---[ \t]*$/;
/** What may stand before the opening fence without being a text of its own. */
const leading = /^\s*(?:#.*|<!--.*-->\s*)?$/;

/**
 * Finds the frontmatter. A fence is a line of three hyphens that begins at the first column, so that
 * hyphens inside a value close nothing.
 */
export function readSkillText(text: string): SkillText {
  const marked = text.startsWith(byteOrderMark);
  const lines = text.slice(marked ? 1 : 0).replace(/\r\n?/g, "\n");
  const open = lineWhere(lines, 0, (line) => !leading.test(line));
  const base = { byteOrderMark: marked, leadingLines: (open?.at ?? 0) > 0 };
  if (open === undefined || !fence.test(open.line)) {
    return { ...base, yaml: undefined, yamlLine: 1, body: lines, fences: "none" };
  }
  const yamlLine = open.at + 2;
  const close = lineWhere(lines, open.end, (line) => fence.test(line));
  if (close === undefined) {
    return { ...base, yaml: undefined, yamlLine, body: lines, fences: "open" };
  }
  return {
    ...base,
    yaml: lines.slice(open.end, Math.max(open.end, close.start - 1)),
    yamlLine,
    body: lines.slice(close.end),
    fences: "closed",
  };
}

interface Line {
  readonly line: string;
  /** Counted from 0, from where the search began. */
  readonly at: number;
  /** Of its first character. */
  readonly start: number;
  /** Behind its line end. */
  readonly end: number;
}

/** Looks no further than it has to: what follows the frontmatter is most of a file. */
function lineWhere(
  text: string,
  from: number,
  isWanted: (line: string) => boolean,
): Line | undefined {
  let start = from;
  for (let at = 0; start <= text.length; at++) {
    const next = text.indexOf("\n", start);
    const end = next === -1 ? text.length : next;
    const line = text.slice(start, end);
    if (isWanted(line)) return { line, at, start, end: Math.min(end + 1, text.length) };
    start = end + 1;
  }
  return undefined;
}
