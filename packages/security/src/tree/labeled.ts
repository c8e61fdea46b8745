/** A value with a label of its own, made by {@link labeled}. As JSON it is the value alone. */
class LabeledValue<Value> {
  readonly #value: Value;
  readonly #label: unknown;

  constructor(value: Value, label: unknown) {
    this.#value = value;
    this.#label = label;
  }

  toJSON(): Value {
    return this.#value;
  }

  static partsOf(value: unknown): LabeledParts | undefined {
    if (typeof value !== "object" || value === null || !(#value in value)) return undefined;
    return { value: value.#value, label: value.#label };
  }
}

/** What {@link labeled} makes: opaque to everybody but us, and to JSON the value alone. */
export type Labeled<Value = unknown> = LabeledValue<Value>;

/** What was labelled, and how. */
export interface LabeledParts {
  readonly value: unknown;
  /** As the tool gave it: whoever reads it has to check it. */
  readonly label: unknown;
}

let anyMade = false;

/**
 * Gives a part of what a tool returns, at any depth, a label of its own. It holds for the value and
 * everything inside it, instead of what the tool's paths say, except where something inside is
 * labelled again. For JSON values, not for contents. Data cannot do the same, whatever it looks like.
 *
 * @param label A `LabelInput`, in the levels of the agent's policy. What is none counts as the worst.
 */
export function labeled<Value>(value: Value, label: unknown): Labeled<Value> {
  anyMade = true;
  return new LabeledValue(value, label);
}

/** Whether a value came out of {@link labeled}. */
export function isLabeled(value: unknown): value is Labeled {
  return labeledParts(value) !== undefined;
}

/** A value without the labels around it; what is inside it keeps its own. */
export function unwrapped(value: unknown): unknown {
  let inner = value;
  for (let parts = labeledParts(inner); parts; parts = labeledParts(inner)) inner = parts.value;
  return inner;
}

/** What {@link labeled} was given; undefined for any other value. */
export function labeledParts(value: unknown): LabeledParts | undefined {
  return anyMade ? LabeledValue.partsOf(value) : undefined;
}

/** Whether {@link labeled} was ever called: where it was not, nothing has to be searched. */
export function anyLabeled(): boolean {
  return anyMade;
}
