import { isAlias, isMap, isScalar, LineCounter, type Node, parseDocument, visit } from "yaml";

/** One member of the frontmatter. */
export interface YamlEntry {
  readonly key: string;
  /** Of the block, counted from 1. */
  readonly line: number;
  readonly node: Node | null;
}

/** What YAML says against a block. */
export interface YamlFault {
  readonly code: string;
  readonly message: string;
  /** Of the block, counted from 1. */
  readonly line: number;
}

export interface YamlEntries {
  readonly entries: readonly YamlEntry[];
  /** Why nothing of the block can be used. */
  readonly faults: readonly YamlFault[];
  /** What plain readers of frontmatter do not read: anchors, flow style. */
  readonly unusual: readonly YamlFault[];
}

/**
 * Reads a block as YAML 1.2. Aliases are refused, because a few of them can stand for gigabytes, and so are
 * tags, which ask the reader to make things.
 */
export function yamlEntries(yaml: string): YamlEntries {
  if (yaml.length > maxYamlSize) {
    const message = `The frontmatter has more than ${maxYamlSize} characters.`;
    return refused("frontmatter_size", message, 1);
  }
  // Looked at before the library sees it: at ten thousand levels the process would end, not throw.
  if (isDeep(yaml)) return refused("yaml_depth", "The values are nested too deeply.", 1);
  const end = yaml.split("\n").findIndex((line) => /^\.\.\.(?:\s|$)/.test(line));
  // The library stops there, and what follows would be lost without a word.
  if (end !== -1) return refused("yaml_end", 'A line "..." ends the values; take it out.', end + 1);
  return readBlock(yaml);
}

/** In characters. */
const maxYamlSize = 64 * 1024;
/** More than anybody writes; in prose brackets count, too, so it is not less. */
const maxDepth = 64;

/** Counts brackets wherever they stand, and marks of lists and keys that follow each other on a line. */
export function isDeep(yaml: string): boolean {
  if (/(?:[-?:][ \t]+){16}/.test(yaml)) return true;
  let depth = 0;
  for (const character of yaml) {
    if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth = Math.max(0, depth - 1);
    if (depth > maxDepth) return true;
  }
  return false;
}

function readBlock(yaml: string): YamlEntries {
  const lineCounter = new LineCounter();
  const document = parseDocument<Node>(yaml, {
    lineCounter,
    prettyErrors: false,
    // Compared below, in linear time.
    uniqueKeys: false,
    resolveKnownTags: false,
    logLevel: "silent",
  });
  const lineAt = (offset: number | undefined) => Math.max(1, lineCounter.linePos(offset ?? 0).line);
  const faults = document.errors.map(({ message, pos }) => ({
    code: "yaml_syntax",
    message: `YAML cannot read this: ${lowerFirst(message)}`,
    line: lineAt(pos[0]),
  }));
  if (faults.length > 0) return { entries: [], faults, unusual: [] };
  const { contents } = document;
  if (contents === null) return refused("empty_frontmatter", "The frontmatter is empty.", 1);
  if (!isMap(contents)) {
    return refused(
      "not_a_mapping",
      'The frontmatter must be lines of the form "key: value".',
      lineAt(contents.range?.[0]),
    );
  }
  const { forbidden, unusual } = features(contents, lineAt);
  const { entries, wrong } = entriesOf(contents.items, lineAt);
  return { entries, faults: [...forbidden, ...wrong], unusual };
}

function entriesOf(
  items: readonly { readonly key: unknown; readonly value: unknown }[],
  lineAt: (offset: number | undefined) => number,
): { readonly entries: readonly YamlEntry[]; readonly wrong: readonly YamlFault[] } {
  const wrong: YamlFault[] = [];
  const entries: YamlEntry[] = [];
  const lines = new Map<string, number>();
  for (const { key, value } of items) {
    const line = lineAt(isNode(key) ? key.range?.[0] : undefined);
    const name = isScalar(key) ? scalarText(key) : "";
    const first = lines.get(name);
    if (name === "") wrong.push({ code: "bad_key", message: "A key must be a word.", line });
    else if (first !== undefined) {
      const message = `"${name}" stands here and on the line ${line - first} before; keep one of them.`;
      wrong.push({ code: "duplicate_key", message, line });
    }
    lines.set(name, line);
    entries.push({ key: name, line, node: isNode(value) ? value : null });
  }
  return { entries, wrong };
}

function features(contents: Node, lineAt: (offset: number | undefined) => number) {
  const forbidden: YamlFault[] = [];
  const unusual: YamlFault[] = [];
  visit(contents, {
    Node(_key, node) {
      const line = lineAt(node.range?.[0]);
      if (isAlias(node)) {
        forbidden.push({ code: "yaml_alias", message: "References (*name) are not read.", line });
        return;
      }
      if (node.tag !== undefined) {
        forbidden.push({ code: "yaml_tag", message: `Tags (${node.tag}) are not read.`, line });
      }
      if (node.anchor !== undefined) {
        unusual.push({ code: "yaml_anchor", message: "Anchors (&name) are of no use here.", line });
      }
      if ("flow" in node && node.flow === true) {
        const message = "Write one line for each value; not every reader knows […] and {…}.";
        unusual.push({ code: "yaml_flow", message, line });
      }
    },
  });
  return { forbidden, unusual };
}

/** The text of a scalar as it was written: `1.10` stays that, and `2026-01-01` too. */
export function scalarText(node: { readonly value: unknown; readonly source?: string }): string {
  const { value, source } = node;
  if (typeof value === "string") return value;
  return value === null || value === undefined ? (source ?? "") : (source ?? String(value));
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "range" in value;
}

function refused(code: string, message: string, line: number): YamlEntries {
  return { entries: [], faults: [{ code, message, line }], unusual: [] };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
