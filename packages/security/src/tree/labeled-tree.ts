import type { JsonValue } from "@tunic/core";
import type { PathStep } from "./json-path.js";
import { anyLabeled, labeledParts } from "./labeled.js";
import { type PathState, uniformState } from "./path-pattern.js";

/** Where in a value labels stand. */
export interface LabelMarks {
  /** Of the node itself, the outermost first. */
  readonly labels: readonly unknown[];
  readonly below: ReadonlyMap<PathStep, LabelMarks>;
}

/** A tool's value as plain JSON, and the labels that its code gave to parts of it. */
export interface LabeledTree {
  readonly value: JsonValue;
  readonly marks: LabelMarks;
  /** All labels, in the order of the value: for who cannot tell any more what they stand at. */
  readonly labels: readonly unknown[];
}

/** Deeper than data that anybody reads, and shallow enough for every stack. */
const maximumDepth = 500;
/** Shared parts are written out each time; this ends what would never fit into memory. */
const maximumNodes = 2_000_000;

/**
 * What a tool returned, as plain JSON, with the labels that `labeled` gave. Undefined when there is
 * none. What JSON cannot say is written out as a tool's result usually is: maps and sets, what has a
 * `toJSON`, big numbers and numbers that are none as text; anything else as a text that names its kind.
 */
export function labeledTree(value: unknown): LabeledTree | undefined {
  if (!anyLabeled()) return undefined;
  const reader = new TreeReader();
  const plain = reader.read(value, 0) ?? null;
  const { marks, labels } = reader;
  return marks === undefined ? undefined : { value: plain, marks, labels };
}

/**
 * The state in which marks stand above another state, such as that of a table: a mark holds for its
 * node and everything below, except further marks.
 *
 * @param labelOf Makes a label of what the tool gave and what the node would be labelled otherwise.
 */
export function labeledState<Label>(
  under: PathState<Label>,
  marks: LabelMarks,
  labelOf: (given: unknown, otherwise: Label) => Label,
): PathState<Label> {
  const { labels, below } = marks;
  const value = labels.reduce<Label>((around, given) => labelOf(given, around), under.value);
  const inherited = labels.length > 0 ? uniformState(value) : under;
  const states = new Map<PathStep, PathState<Label>>();
  const at = (step: PathStep, otherwise: PathState<Label>) => {
    const marked = below.get(step);
    if (marked === undefined) return otherwise;
    const known = states.get(step);
    if (known !== undefined) return known;
    const made = labeledState(otherwise, marked, labelOf);
    states.set(step, made);
    return made;
  };
  return {
    value,
    whole: labels.length > 0 ? value : under.whole,
    settled: below.size === 0 && inherited.settled,
    member: (name) => at(name, inherited.member(name)),
    item: (index) => at(index, inherited.item(index)),
  };
}

/** Copies a value into plain JSON and writes down where labels stand. */
class TreeReader {
  /** Of the value that was read last. */
  marks: LabelMarks | undefined;
  readonly labels: unknown[] = [];
  readonly #ancestors = new Set<object>();
  #nodes = 0;

  /** Undefined for what JSON leaves out. */
  read(value: unknown, depth: number): JsonValue | undefined {
    this.#nodes++;
    this.marks = undefined;
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "bigint":
        return value.toString();
      case "undefined":
        return undefined;
      case "object":
        return value === null ? null : this.#readObject(value, depth);
      default:
        return `[${typeof value}]`;
    }
  }

  #readObject(value: object, depth: number): JsonValue | undefined {
    if (this.#ancestors.has(value)) return "[circular]";
    if (depth > maximumDepth) return `[cut: nested deeper than ${maximumDepth} levels]`;
    if (this.#nodes > maximumNodes) return "[cut: too much data]";
    this.#ancestors.add(value);
    try {
      return this.#readKnown(value, depth + 1);
    } catch {
      // A getter that throws, say, or a proxy that lets nobody look: nothing of it is taken over.
      this.marks = undefined;
      return "[unreadable]";
    } finally {
      this.#ancestors.delete(value);
    }
  }

  #readKnown(value: object, depth: number): JsonValue | undefined {
    const parts = labeledParts(value);
    if (parts !== undefined) return this.#readLabeled(parts.value, parts.label, depth);
    if (Array.isArray(value)) return this.#readItems(value, depth);
    if (value instanceof Set) return this.#readItems([...value], depth);
    if (value instanceof Map) {
      const entries = [...value];
      const named = entries.every(([key]) => typeof key === "string");
      return named ? this.#readMembers(entries, depth) : this.#readItems(entries, depth);
    }
    if ("toJSON" in value && typeof value.toJSON === "function") {
      return this.read(value.toJSON(""), depth);
    }
    return this.#readMembers(Object.entries(value), depth);
  }

  #readLabeled(value: unknown, label: unknown, depth: number): JsonValue {
    const at = this.labels.length;
    const plain = this.read(value, depth) ?? null;
    this.labels.splice(at, 0, label);
    const { labels = [], below = new Map() } = this.marks ?? {};
    this.marks = { labels: [label, ...labels], below };
    return plain;
  }

  #readItems(items: readonly unknown[], depth: number): JsonValue {
    const plain: JsonValue[] = [];
    const below = new Map<PathStep, LabelMarks>();
    // By number: a gap reads as undefined, which JSON says as null.
    for (let at = 0; at < items.length; at++) {
      plain.push(this.read(items[at], depth) ?? null);
      if (this.marks !== undefined) below.set(at, this.marks);
    }
    this.#marksBelow(below);
    return plain;
  }

  #readMembers(entries: readonly (readonly [string, unknown])[], depth: number): JsonValue {
    const plain: [string, JsonValue][] = [];
    const below = new Map<PathStep, LabelMarks>();
    for (const [key, member] of entries) {
      const value = this.read(member, depth);
      if (value === undefined) continue;
      plain.push([key, value]);
      if (this.marks !== undefined) below.set(key, this.marks);
    }
    this.#marksBelow(below);
    // Defines its members, so that one named "__proto__" stays a member.
    return Object.fromEntries(plain);
  }

  #marksBelow(below: ReadonlyMap<PathStep, LabelMarks>): void {
    this.marks = below.size === 0 ? undefined : { labels: [], below };
  }
}
