/** Names a piece of state that belongs to a run, and how it begins. */
export interface StateKey<Value> {
  readonly name: string;
  readonly initial: () => Value;
}

/**
 * A key for `run.state`. Keys are told apart by identity, so two modules can never mix up their
 * state; the name is for people.
 */
export function createStateKey<Value>(name: string, initial: () => Value): StateKey<Value> {
  return { name, initial };
}

/** State that lives as long as one run. */
export class RunState {
  #values: Map<StateKey<unknown>, unknown> | undefined;

  /** The value under a key; made by its `initial` at the first time. */
  get<Value>(key: StateKey<Value>): Value {
    this.#values ??= new Map();
    if (!this.#values.has(key)) this.#values.set(key, key.initial());
    return this.#values.get(key) as Value;
  }

  set<Value>(key: StateKey<Value>, value: Value): void {
    this.#values ??= new Map();
    this.#values.set(key, value);
  }
}
