import { ConfigurationError } from "@tunic/core";
import { type PathPart, pathText, readParts } from "./json-path.js";

/** Which nodes of a JSON tree something is said of. */
export interface PathPattern {
  /** As it was written. */
  readonly text: string;
  /** From the root down; empty for the whole value. */
  readonly segments: readonly PathPart[];
}

/**
 * Where a walk down a JSON tree stands, and what holds for the node there. Going down costs one look
 * into a map, whatever the number of patterns, and states are kept: data cannot make there more of them
 * than patterns have names.
 */
export interface PathState<Value> {
  readonly value: Value;
  /**
   * For a node without parts of which patterns say something: the worst of it all, for whom such a node may
   * become one with parts. Where nobody has said what is worse, the value.
   */
  readonly whole: Value;
  /** Whether the same holds for everything below. */
  readonly settled: boolean;
  /** Where the member of an object stands. */
  member(name: string): PathState<Value>;
  /** Where the item of a list stands. */
  item(index: number): PathState<Value>;
}

/** What patterns say of the nodes of a JSON tree. */
export interface PathTable<Value> {
  /** For the whole value; walks begin here. */
  readonly root: PathState<Value>;
  /**
   * Everything that may hold for some node, each once. What cannot be walked (a text that should
   * have been JSON) has to be taken to be all of it.
   */
  readonly values: readonly Value[];
}

/**
 * Reads a pattern: `$` is the whole value; `name` or `["odd.name"]` a member, `*` every member of an
 * object, `[3]` an item, `[*]` every item of a list; joined as in `a.b[*].c`, `[*].body` and `*.text`.
 * It covers the nodes that it matches and everything below them.
 *
 * @throws ConfigurationError `path_pattern` that says what is wrong.
 */
export function parsePathPattern(text: string): PathPattern {
  const { parts, problem } = readParts(text);
  if (parts !== undefined) return { text, segments: parts };
  throw new ConfigurationError("path_pattern", `The path ${JSON.stringify(text)} ${problem}.`);
}

/** One segment as it is written, behind others or first. */
export function patternText(part: PathPart, first: boolean): string {
  switch (part.kind) {
    case "anyItem":
      return "[*]";
    case "item":
      return `[${part.index}]`;
    case "anyMember":
      return first ? "*" : ".*";
    case "member": {
      const text = pathText([part.name]);
      return first || text.startsWith("[") ? text : `.${text}`;
    }
  }
}

/**
 * A table of what patterns say. For each node the most specific pattern that covers it counts: one of
 * more segments before one of fewer; among those of the same length the one with more names and numbers
 * and fewer wildcards, and then the later one.
 *
 * @param entries Values by pattern, see {@link parsePathPattern}.
 * @param otherwise For nodes that no pattern covers. Default: undefined.
 * @param worst What holds where all of these might: for a node that is not what patterns say it is (an object
 * where they have items, a list where they have members), with everything in it. Default: nothing special.
 * @throws ConfigurationError `path_pattern`
 */
export function pathTable<Value>(
  entries: Readonly<Record<string, Value>>,
): PathTable<Value | undefined>;
export function pathTable<Value>(
  entries: Readonly<Record<string, Value>>,
  otherwise: Value,
  worst?: Worst<Value>,
): PathTable<Value>;
export function pathTable<Value>(
  entries: Readonly<Record<string, Value>>,
  otherwise?: Value,
  worst?: Worst<Value | undefined>,
): PathTable<Value | undefined> {
  const top: PatternNode<Value | undefined> = emptyNode();
  const values = new Set<Value | undefined>();
  Object.entries(entries).forEach(([text, value], order) => {
    const { segments } = parsePathPattern(text);
    const exact = segments.filter(({ kind }) => kind === "member" || kind === "item").length;
    let node = top;
    for (const segment of segments) node = childFor(node, segment);
    node.end = { value, exact, order };
    values.add(value);
  });
  if (top.end === undefined) values.add(otherwise);
  return { root: new TableState([top], otherwise, worst), values: [...values] };
}

/** What holds where all of several values might. */
export type Worst<Value> = (values: readonly Value[]) => Value;

/** The state of a tree of which one thing holds everywhere. */
export function uniformState<Value>(value: Value): PathState<Value> {
  const state: PathState<Value> = {
    value,
    whole: value,
    settled: true,
    member: () => state,
    item: () => state,
  };
  return state;
}

/** Where what a segment of a pattern matches stands; for a wildcard, what no other pattern names. */
export function stateBelow<Value>(state: PathState<Value>, part: PathPart): PathState<Value> {
  switch (part.kind) {
    case "member":
      return state.member(part.name);
    case "item":
      return state.item(part.index);
    case "anyMember":
      return state.member("");
    case "anyItem":
      return state.item(Number.MAX_SAFE_INTEGER);
  }
}

/** All patterns that begin alike. */
interface PatternNode<Value> {
  /** Of the pattern that ends here. */
  end: PatternEnd<Value> | undefined;
  readonly members: Map<string, PatternNode<Value>>;
  readonly items: Map<number, PatternNode<Value>>;
  anyMember: PatternNode<Value> | undefined;
  anyItem: PatternNode<Value> | undefined;
}

interface PatternEnd<Value> {
  readonly value: Value;
  /** How many of its segments are no wildcards. */
  readonly exact: number;
  /** Its place among the entries. */
  readonly order: number;
}

function emptyNode<Value>(): PatternNode<Value> {
  return {
    end: undefined,
    members: new Map(),
    items: new Map(),
    anyMember: undefined,
    anyItem: undefined,
  };
}

function childFor<Value>(node: PatternNode<Value>, segment: PathPart): PatternNode<Value> {
  switch (segment.kind) {
    case "anyMember":
      node.anyMember ??= emptyNode();
      return node.anyMember;
    case "anyItem":
      node.anyItem ??= emptyNode();
      return node.anyItem;
    case "member":
      return under(node.members, segment.name);
    case "item":
      return under(node.items, segment.index);
  }
}

function under<Key, Value>(children: Map<Key, PatternNode<Value>>, key: Key): PatternNode<Value> {
  const known = children.get(key);
  if (known !== undefined) return known;
  const made: PatternNode<Value> = emptyNode();
  children.set(key, made);
  return made;
}

/** The patterns that still match, taken together. */
class TableState<Value> implements PathState<Value> {
  readonly value: Value;
  readonly settled: boolean;
  readonly #nodes: readonly PatternNode<Value>[];
  readonly #worst: Worst<Value> | undefined;
  #whole: PathState<Value> | undefined;
  /** States of the names that patterns mention here; undefined until one is asked for. */
  readonly #members = new Map<string, PathState<Value> | undefined>();
  readonly #items = new Map<number, PathState<Value> | undefined>();
  #otherMember: PathState<Value> | undefined;
  #otherItem: PathState<Value> | undefined;

  constructor(
    nodes: readonly PatternNode<Value>[],
    inherited: Value,
    worst: Worst<Value> | undefined,
  ) {
    this.#nodes = nodes;
    this.#worst = worst;
    const best = bestEnd(nodes);
    this.value = best === undefined ? inherited : best.value;
    for (const { members, items } of nodes) {
      for (const key of members.keys()) this.#members.set(key, undefined);
      for (const key of items.keys()) this.#items.set(key, undefined);
    }
    this.settled = nodes.every(isLeaf);
  }

  get whole(): Value {
    return this.#worst === undefined || this.settled ? this.value : this.#wholeState.value;
  }

  /** That of a node of another kind than was said. */
  get #wholeState(): PathState<Value> {
    const all = [this.value, ...this.#nodes.flatMap(valuesBelow)];
    this.#whole ??= uniformState(this.#worst === undefined ? this.value : this.#worst(all));
    return this.#whole;
  }

  member(name: string): PathState<Value> {
    if (this.settled) return this;
    if (this.#worst !== undefined && !this.#nodes.some(hasMembers)) return this.#wholeState;
    const known = this.#members.get(name);
    if (known !== undefined) return known;
    if (!this.#members.has(name)) {
      this.#otherMember ??= this.#below(({ anyMember }) => [anyMember]);
      return this.#otherMember;
    }
    const made = this.#below(({ anyMember, members }) => [anyMember, members.get(name)]);
    this.#members.set(name, made);
    return made;
  }

  item(index: number): PathState<Value> {
    if (this.settled) return this;
    if (this.#worst !== undefined && !this.#nodes.some(hasItems)) return this.#wholeState;
    const known = this.#items.get(index);
    if (known !== undefined) return known;
    if (!this.#items.has(index)) {
      this.#otherItem ??= this.#below(({ anyItem }) => [anyItem]);
      return this.#otherItem;
    }
    const made = this.#below(({ anyItem, items }) => [anyItem, items.get(index)]);
    this.#items.set(index, made);
    return made;
  }

  #below(
    next: (node: PatternNode<Value>) => readonly (PatternNode<Value> | undefined)[],
  ): PathState<Value> {
    const nodes = this.#nodes.flatMap(next).filter((node) => node !== undefined);
    return nodes.length === 0
      ? uniformState(this.value)
      : new TableState(nodes, this.value, this.#worst);
  }
}

/** Patterns that end at the same node have the same length. */
function bestEnd<Value>(nodes: readonly PatternNode<Value>[]): PatternEnd<Value> | undefined {
  let best: PatternEnd<Value> | undefined;
  for (const { end } of nodes) {
    if (end === undefined) continue;
    const isBetter =
      best === undefined ||
      end.exact > best.exact ||
      (end.exact === best.exact && end.order > best.order);
    if (isBetter) best = end;
  }
  return best;
}

function hasMembers({ members, anyMember }: PatternNode<unknown>): boolean {
  return members.size > 0 || anyMember !== undefined;
}

function hasItems({ items, anyItem }: PatternNode<unknown>): boolean {
  return items.size > 0 || anyItem !== undefined;
}

function isLeaf(node: PatternNode<unknown>): boolean {
  return !hasMembers(node) && !hasItems(node);
}

/** What patterns say that go on behind a node. */
function valuesBelow<Value>(node: PatternNode<Value>): readonly Value[] {
  const { members, items, anyMember, anyItem } = node;
  return [...members.values(), ...items.values(), anyMember, anyItem].flatMap((child) =>
    child === undefined
      ? []
      : [...(child.end === undefined ? [] : [child.end.value]), ...valuesBelow(child)],
  );
}
