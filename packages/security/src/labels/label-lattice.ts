import { ConfigurationError, checkOptionNames, isJsonObject } from "@tunic/core";
import type { ContentLabel, LabelInput } from "./content-label.js";
import { isBelow, type LabelParts, readLabelParts, shown, TRUSTED } from "./label-parts.js";
import { createLabelTable, type LabelEntry } from "./label-table.js";

/** Options of {@link createLabelLattice}. */
export interface LabelLatticeOptions {
  /** The levels of confidentiality, the lowest first. Default `public`, `private`, `user_identity`. */
  readonly levels?: readonly string[] | undefined;
}

/**
 * The labels that there are, and how they combine. `a ⊑ b` means that data labelled `a` may go wherever
 * data labelled `b` may: it is as trusted, at most as confidential, and for as many readers.
 *
 * Labels are canonical: whatever says the same is the same object, and `a ⊑ b` exactly if
 * `join(a, b) === b`. What a lattice keeps for that is bounded: 65,536 labels, and 4 Mi characters of
 * their readers. Labels beyond (readers out of data may be many) are not kept: everything said of them
 * stays true, the equivalence above too, but the same label made twice is two objects, each join takes
 * about a microsecond instead of tens of nanoseconds, and `flowsTo` in both directions is what compares them.
 */
export interface LabelLattice {
  /** The levels of confidentiality, the lowest first. */
  readonly levels: readonly string[];
  /** Trusted, of the lowest level, for everybody: what may go anywhere. */
  readonly bottom: ContentLabel;
  /** Untrusted, of the highest level, for nobody: what is known of data of which nothing is known. */
  readonly top: ContentLabel;
  /**
   * A label as written in code or configuration.
   *
   * @throws ConfigurationError `label` for unknown words, members and levels, for readers that are no list
   * of names, and for a capacity that is negative, not finite, or on trusted data.
   */
  label(input: LabelInput): ContentLabel;
  /**
   * The label that stored data says, which must be complete (integrity and confidentiality) and of this
   * lattice; else undefined. Never throws. It says nothing about who has written the data: see
   * {@link LabelLattice.authentic} and `isSealed`.
   */
  read(value: unknown): ContentLabel | undefined;
  /**
   * The label that code of this process has put there; undefined for everything else. Labels carry a mark
   * that JSON cannot, and that a copy keeps if it keeps symbols, as those do that core makes of messages.
   * Of a copy the mark alone counts, not its members. A lattice does not know the marks of another, nor of
   * a second copy of this package.
   */
  authentic(value: unknown): ContentLabel | undefined;
  /**
   * What holds for data made of both: untrusted if one is, with the larger capacity (any number is the
   * largest); the higher level; the readers that both have. Bits are not added up here: they are counted
   * where they are spent. What is no label of this lattice is read as {@link LabelLattice.read} does, and
   * counts as `top` if it cannot be.
   */
  join(a: ContentLabel, b: ContentLabel): ContentLabel;
  /** The join of all; of none, `bottom`. */
  joinAll(labels: Iterable<ContentLabel>): ContentLabel;
  /** Whether `a ⊑ b`. What is no label is taken as {@link LabelLattice.join} takes it. */
  flowsTo(a: ContentLabel, b: ContentLabel): boolean;
}

const optionNames: ReadonlySet<string> = new Set<keyof LabelLatticeOptions>(["levels"]);

/**
 * A lattice of labels: integrity, levels of confidentiality, readers, capacity.
 *
 * @throws ConfigurationError `invalid_option` for levels that are no list of different names, or none.
 */
export function createLabelLattice(options: LabelLatticeOptions = {}): LabelLattice {
  checkOptionNames("createLabelLattice", options, optionNames);
  const levels = readLevels(options.levels ?? ["public", "private", "user_identity"]);
  const table = createLabelTable(levels);
  const bottom = table.entry({ taint: TRUSTED, level: 0, readers: undefined });
  const top = table.entry({
    taint: Number.POSITIVE_INFINITY,
    level: levels.length - 1,
    readers: Object.freeze([]),
  });

  function storedEntry(value: unknown): LabelEntry | undefined {
    try {
      if (!isJsonObject(value)) return undefined;
      const parts = readLabelParts(value, levels, { stored: true });
      return typeof parts === "string" ? undefined : table.entry(parts);
    } catch {
      // A getter or a proxy: no data, so no label either.
      return undefined;
    }
  }

  function entryOf(label: ContentLabel): LabelEntry {
    return table.marked(label) ?? storedEntry(label) ?? top;
  }

  return Object.freeze({
    levels,
    bottom: bottom.label,
    top: top.label,
    label(input) {
      const parts = readInput(input, levels);
      if (typeof parts === "string") throw new ConfigurationError("label", parts);
      return table.entry(parts).label;
    },
    read(value) {
      return storedEntry(value)?.label;
    },
    authentic(value) {
      return table.marked(value)?.label;
    },
    join(a, b) {
      return table.join(entryOf(a), entryOf(b)).label;
    },
    joinAll(labels) {
      let joined = bottom;
      for (const label of labels) joined = table.join(joined, entryOf(label));
      return joined.label;
    },
    flowsTo(a, b) {
      return isBelow(entryOf(a).parts, entryOf(b).parts);
    },
  } satisfies LabelLattice);
}

/** The lattice of the levels `public`, `private` and `user_identity`, which everything uses that names no other. */
export const defaultLattice: LabelLattice = createLabelLattice();

/** The join of labels of the default lattice: what holds for data made of all of them. */
export function combineLabels(...labels: readonly ContentLabel[]): ContentLabel {
  return defaultLattice.joinAll(labels);
}

function readLevels(levels: readonly string[]): readonly string[] {
  const isList =
    Array.isArray(levels) &&
    levels.length > 0 &&
    levels.every((level) => typeof level === "string" && level !== "") &&
    new Set(levels).size === levels.length;
  if (!isList) {
    throw new ConfigurationError(
      "invalid_option",
      'createLabelLattice: `levels` must be a list of different names, the lowest first, such as ["public", "secret"].',
    );
  }
  return Object.freeze([...levels]);
}

function readInput(input: LabelInput, levels: readonly string[]): LabelParts | string {
  if (input === "trusted" || input === "untrusted") return readInput({ integrity: input }, levels);
  if (!isJsonObject(input)) {
    const level = levels.find((name) => name === input);
    const hint = level === undefined ? "" : `; write { confidentiality: ${shown(level)} }`;
    return `A label is "trusted", "untrusted" or an object, not ${shown(input)}${hint}.`;
  }
  const parts = readLabelParts(input, levels, { stored: false });
  return typeof parts === "string" ? `A label cannot have ${parts}.` : parts;
}
