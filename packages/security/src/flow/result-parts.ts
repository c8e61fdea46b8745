import type { ContentLabel } from "../labels/content-label.js";
import type { PathState } from "../tree/path-pattern.js";

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
    whole: map(state.whole),
    settled: state.settled,
    member: (name) => mappedState(state.member(name), map),
    item: (index) => mappedState(state.item(index), map),
  };
}

type Known = Map<ContentLabel, Map<number | undefined, ResultPart>>;

class Parts implements PathState<ResultPart> {
  readonly value: ResultPart;
  readonly whole: ResultPart;
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
    this.whole = partOf(known, labels.whole, lookups.whole);
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
