/** One value that YAML cannot read as it stands, and how to write it. */
export interface ValueRepair {
  readonly code: "unquoted_colon" | "reserved_character" | "text_after_list";
  readonly key: string;
  /** Of the block's lines, counted from 0. */
  readonly line: number;
  /** How many lines the value takes. */
  readonly count: number;
  /** What stands there afterwards, in one line. */
  readonly text: string;
}

interface Entry {
  readonly key: string;
  readonly indent: string;
  readonly value: string;
}

const entryLine = /^( *)([A-Za-z0-9_.-]+):[ \t]+(\S.*)$/;
/** A field of the specification at a deeper place: quoting it would take a restriction for prose. */
const fieldInside =
  /^\s+(?:name|description|license|compatibility|metadata|allowed[^a-z0-9:]*tools?)\s*:/iu;

/**
 * Finds values that are broken only because they are not quoted: a colon with a blank behind it, a first
 * character that YAML keeps for itself, text after `[…]`. The client guide of the specification asks for
 * the first of them.
 */
export function repairsOf(yaml: string): readonly ValueRepair[] {
  const lines = yaml.split("\n");
  const repairs: ValueRepair[] = [];
  for (let at = 0; at < lines.length; ) {
    const entry = entryOf(lines[at] ?? "");
    if (entry === undefined) {
      at++;
      continue;
    }
    const end = endOf(lines, at, entry.indent.length);
    const repair = repairOf(entry, lines.slice(at, end), at);
    if (repair !== undefined) repairs.push(repair);
    at = end;
  }
  return repairs;
}

/** The lines with every repair in its place; a value of several lines leaves empty ones, so that none moves. */
export function applyRepairs(yaml: string, repairs: readonly ValueRepair[]): string {
  const lines = yaml.split("\n");
  for (const { line, count, text } of repairs) {
    lines.splice(line, count, text, ...Array.from({ length: count - 1 }, () => ""));
  }
  return lines.join("\n");
}

function entryOf(line: string): Entry | undefined {
  const [, indent, key, value] = entryLine.exec(line) ?? [];
  if (indent === undefined || key === undefined || value === undefined) return undefined;
  return value.startsWith("#") ? undefined : { key, indent, value };
}

/** After the last line that belongs to the value beginning at `start`. */
function endOf(lines: readonly string[], start: number, indent: number): number {
  let end = start + 1;
  for (let at = start + 1; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.trim() === "") continue;
    if (line.length - line.trimStart().length <= indent) break;
    end = at + 1;
  }
  return end;
}

function repairOf(entry: Entry, lines: readonly string[], line: number): ValueRepair | undefined {
  const { key, indent, value } = entry;
  const following = lines.slice(1);
  if (following.some((each) => fieldInside.test(each))) return undefined;
  const code = hazardOf(key, [value, ...following]);
  if (code === undefined) return undefined;
  const text = `${indent}${key}: ${JSON.stringify(folded([value, ...following]))}`;
  return { code, key, line, count: lines.length, text };
}

function hazardOf(key: string, lines: readonly string[]): ValueRepair["code"] | undefined {
  const [first = ""] = lines;
  if (/^[`@%]/.test(first)) return "reserved_character";
  if (first.startsWith("[")) {
    const after = /^\[[^[\]]*\][ \t]*[^\s#]/.test(first);
    // What a restriction means is not for us to guess.
    return after && !/^allowed/i.test(key) ? "text_after_list" : undefined;
  }
  if (/^["'|>{}\]&*!,#?-]/.test(first) && !/^[?-]\S/.test(first)) return undefined;
  return lines.some((line) => /:(?:\s|$)/.test(line)) ? "unquoted_colon" : undefined;
}

/** As YAML folds a plain value: a line end is a blank, an empty line a line end. */
function folded(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .join("\n")
    .replace(/\n+/g, (ends) => (ends.length === 1 ? " " : ends.slice(1)));
}
