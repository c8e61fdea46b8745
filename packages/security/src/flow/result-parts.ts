import type { JsonObject, JsonValue } from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import type { PathState } from "../tree/path-pattern.js";
import { asReference } from "../tree/reference.js";

/** What is known of a part of a result. */
export interface ResultPart {
  /** As declared. */
  readonly label: ContentLabel;
  /** Whether it comes out of the tool's own store, whatever the arguments were; with the bits that choosing it can say. */
  readonly lookup: number | undefined;
}

/** Labels and lookups of a tree, walked together. */
export function partState(
  labels: PathState<ContentLabel>,
  lookups: PathState<number | undefined>,
): PathState<ResultPart> {
  return new Parts(new Map(), labels, lookups);
}

/** A tree in which something else holds everywhere than in another one. */
export function mappedState<Value>(
  state: PathState<Value>,
  map: (value: Value) => Value,
): PathState<Value> {
  return {
    value: map(state.value),
    settled: state.settled,
    member: (name) => mappedState(state.member(name), map),
    item: (index) => mappedState(state.item(index), map),
  };
}

type Known = Map<ContentLabel, Map<number | undefined, ResultPart>>;

class Parts implements PathState<ResultPart> {
  readonly value: ResultPart;
  readonly settled: boolean;
  readonly #known: Known;
  readonly #labels: PathState<ContentLabel>;
  readonly #lookups: PathState<number | undefined>;

  constructor(
    known: Known,
    labels: PathState<ContentLabel>,
    lookups: PathState<number | undefined>,
  ) {
    this.#known = known;
    this.#labels = labels;
    this.#lookups = lookups;
    this.value = partOf(known, labels.value, lookups.value);
    this.settled = labels.settled && lookups.settled;
  }

  member(name: string): PathState<ResultPart> {
    return this.settled
      ? this
      : new Parts(this.#known, this.#labels.member(name), this.#lookups.member(name));
  }

  item(index: number): PathState<ResultPart> {
    return this.settled
      ? this
      : new Parts(this.#known, this.#labels.item(index), this.#lookups.item(index));
  }
}

/** The same object for the same part: whether it is visible is asked once. */
function partOf(known: Known, label: ContentLabel, lookup: number | undefined): ResultPart {
  const own = known.get(label) ?? new Map<number | undefined, ResultPart>();
  known.set(label, own);
  const before = own.get(lookup);
  if (before !== undefined) return before;
  const made = { label, lookup };
  own.set(lookup, made);
  return made;
}

/**
 * Hides what repeats an untrusted argument: a tool that says back what it was asked brings nothing of its
 * own. References stay as they are.
 *
 * @param texts The untrusted texts of the arguments.
 */
export function hideRepeats(
  value: JsonValue,
  texts: readonly string[],
  keep: (value: JsonValue) => JsonValue,
): JsonValue {
  const repeats = (text: string): boolean => texts.some((each) => text.includes(each));
  if (typeof value === "string") return repeats(value) ? keep(value) : value;
  if (typeof value !== "object" || value === null || asReference(value)) return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => hideRepeats(item, texts, keep));
  const entries = Object.entries(value as JsonObject);
  // A name cannot be hidden alone.
  if (entries.some(([name]) => repeats(name))) return keep(value);
  return Object.fromEntries(entries.map(([name, each]) => [name, hideRepeats(each, texts, keep)]));
}
