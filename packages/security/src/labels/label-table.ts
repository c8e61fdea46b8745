import type { ContentLabel } from "./content-label.js";
import { isBelow, joinParts, type LabelParts, partsKey, TRUSTED } from "./label-parts.js";

/** A label of one lattice, with what is needed to reckon with it. It stands under the label's mark. */
export interface LabelEntry {
  /** An object that the table has to itself: whose label this is. */
  readonly owner: object;
  /** The place among the labels that are kept; -1 for one that is not. */
  readonly id: number;
  readonly parts: LabelParts;
  readonly label: ContentLabel;
}

/** The labels of one lattice, each once, and their joins. */
export interface LabelTable {
  /** The entry of what these parts say. */
  entry(parts: LabelParts): LabelEntry;
  /** The entry whose mark a value has, if it is one of this table. */
  marked(value: unknown): LabelEntry | undefined;
  join(a: LabelEntry, b: LabelEntry): LabelEntry;
}

// What is kept is bounded, because readers may come out of data.
const LABELS_KEPT = 65_536;
const JOINS_KEPT = 65_536;
const CHARACTERS_KEPT = 4 * 1024 * 1024;

/** Registered nowhere, so that no data can name it. */
const mark: unique symbol = Symbol("tunic.label");

/** A table for the labels of these levels. */
export function createLabelTable(levels: readonly string[]): LabelTable {
  const owner = {};
  const kept = new Map<string, LabelEntry>();
  const joins = new Map<number, LabelEntry>();
  let characters = 0;

  function entry(parts: LabelParts): LabelEntry {
    const key = partsKey(parts);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const isKept = kept.size < LABELS_KEPT && characters + key.length <= CHARACTERS_KEPT;
    const label = labelOf(parts, levels);
    const made = Object.freeze({ owner, id: isKept ? kept.size : -1, parts, label });
    Object.defineProperty(label, mark, { value: made });
    Object.freeze(label);
    if (isKept) {
      kept.set(key, made);
      characters += key.length;
    }
    return made;
  }

  function join(a: LabelEntry, b: LabelEntry): LabelEntry {
    if (a === b) return b;
    if (a.id < 0 || b.id < 0) return computeJoin(a, b);
    // The smaller id times the size: the keys of labels that are made early are small integers.
    const key = a.id < b.id ? a.id * LABELS_KEPT + b.id : b.id * LABELS_KEPT + a.id;
    const known = joins.get(key);
    if (known !== undefined) return known;
    const joined = computeJoin(a, b);
    // Nobody sees whether a join was looked up: what is dropped is made again at need.
    if (joins.size >= JOINS_KEPT) joins.clear();
    if (joined.id >= 0) joins.set(key, joined);
    return joined;
  }

  /** One of its arguments wherever that is the join: then `join(a, b) === b` needs no label to be kept. */
  function computeJoin(a: LabelEntry, b: LabelEntry): LabelEntry {
    if (isBelow(a.parts, b.parts)) return b;
    if (isBelow(b.parts, a.parts)) return a;
    return entry(joinParts(a.parts, b.parts));
  }

  function marked(value: unknown): LabelEntry | undefined {
    // Only an own mark counts: what is inherited, nobody has put there.
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, mark)) {
      return undefined;
    }
    const found = (value as { readonly [mark]?: LabelEntry })[mark];
    return found?.owner === owner ? found : undefined;
  }

  return { entry, marked, join };
}

/** The label whose mark a value has, whichever lattice of this process has made it. */
export function labelMadeHere(value: unknown): ContentLabel | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, mark)) return undefined;
  return (value as { readonly [mark]?: LabelEntry })[mark]?.label;
}

function labelOf({ taint, level, readers }: LabelParts, levels: readonly string[]): ContentLabel {
  return {
    integrity: taint === TRUSTED ? "trusted" : "untrusted",
    confidentiality: levels[level] ?? "",
    ...(readers && { readers }),
    ...(taint !== TRUSTED && Number.isFinite(taint) && { capacity: taint }),
  };
}
