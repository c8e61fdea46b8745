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
  const lines = (marked ? text.slice(1) : text).split(lineEnd);
  const open = lines.findIndex((line) => !leading.test(line));
  const base = { byteOrderMark: marked, leadingLines: open > 0 };
  if (open === -1 || !fence.test(lines[open] ?? "")) {
    return { ...base, yaml: undefined, yamlLine: 1, body: lines.join("\n"), fences: "none" };
  }
  const length = lines.slice(open + 1).findIndex((line) => fence.test(line));
  const yamlLine = open + 2;
  if (length === -1) {
    return { ...base, yaml: undefined, yamlLine, body: lines.join("\n"), fences: "open" };
  }
  const close = open + 1 + length;
  return {
    ...base,
    yaml: lines.slice(open + 1, close).join("\n"),
    yamlLine,
    body: lines.slice(close + 1).join("\n"),
    fences: "closed",
  };
}
