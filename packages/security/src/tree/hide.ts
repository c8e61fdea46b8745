import type { JsonObject, JsonValue } from "@tunic/core";
import { type PathStep, pathText } from "./json-path.js";
import type { PathState } from "./path-pattern.js";

/** Makes what stands instead of a node that is hidden, and keeps the node. */
export type Keep<Label> = (hidden: HiddenNode<Label>) => JsonValue;

/** A node that is hidden, whole. */
export interface HiddenNode<Label> {
  readonly value: JsonValue;
  /**
   * The node's own label first, then the others that occur inside it, each once: who keeps the node as
   * one value has to take all of them together, or the stricter ones inside would get lost.
   */
  readonly labels: readonly [Label, ...Label[]];
  /** Where the node stands, in the form of `pathText`. Only during the call. */
  path(): string;
}

/** What is left of a value, and what that is labelled. */
export interface VisiblePart<Label> {
  readonly visible: JsonValue;
  /** How many nodes were hidden, each with everything inside it. */
  readonly hidden: number;
  /** The labels of what is visible, each once. */
  readonly labels: readonly Label[];
}

/**
 * Hides the parts of a value whose own label is not visible. Such a node is replaced whole, whatever
 * it is and whatever inside it would be visible; nodes that are visible stay, and are looked into. So
 * `$` hides all, `*` the members of an object but not their names, and `[*].body` one member of each item.
 * What does not change is shared with the value; what one label holds for is not walked.
 *
 * @param labelAt The state of the value itself: `root` of a `pathTable`, or that of `labeledState`.
 * @param isVisible Asked once for each label.
 */
export function hideNodes<Label>(
  value: JsonValue,
  labelAt: PathState<Label>,
  isVisible: (label: Label) => boolean,
  keep: Keep<Label>,
): VisiblePart<Label> {
  const hiding = new Hiding(isVisible, keep);
  const visible = hiding.visiblePart(value, labelAt);
  return { visible, hidden: hiding.hidden, labels: hiding.visibleLabels };
}

class Hiding<Label> {
  hidden = 0;
  readonly visibleLabels: Label[] = [];
  readonly #verdicts = new Map<Label, boolean>();
  readonly #path: PathStep[] = [];
  readonly #pathText = () => pathText(this.#path);
  readonly #isVisible: (label: Label) => boolean;
  readonly #keep: Keep<Label>;

  constructor(isVisible: (label: Label) => boolean, keep: Keep<Label>) {
    this.#isVisible = isVisible;
    this.#keep = keep;
  }

  visiblePart(node: JsonValue, state: PathState<Label>): JsonValue {
    if (!this.#sees(state.value)) return this.#hide(node, state);
    if (typeof node !== "object" || node === null || state.settled) return node;
    return Array.isArray(node)
      ? this.#ofItems(node, state)
      : this.#ofMembers(node as JsonObject, state);
  }

  #ofItems(items: readonly JsonValue[], state: PathState<Label>): readonly JsonValue[] {
    let copy: JsonValue[] | undefined;
    for (const [at, item] of items.entries()) {
      this.#path.push(at);
      const visible = this.visiblePart(item, state.item(at));
      this.#path.pop();
      if (visible === item) continue;
      copy ??= [...items];
      copy[at] = visible;
    }
    return copy ?? items;
  }

  #ofMembers(object: JsonObject, state: PathState<Label>): JsonObject {
    let copy: Record<string, JsonValue> | undefined;
    for (const key of Object.keys(object)) {
      const member = object[key];
      if (member === undefined) continue;
      this.#path.push(key);
      const visible = this.visiblePart(member, state.member(key));
      this.#path.pop();
      if (visible === member) continue;
      // The copy owns every key of its source, "__proto__" too: to assign one changes that member.
      copy ??= { ...object };
      copy[key] = visible;
    }
    return copy ?? object;
  }

  #sees(label: Label): boolean {
    const known = this.#verdicts.get(label);
    if (known !== undefined) return known;
    const visible = this.#isVisible(label);
    this.#verdicts.set(label, visible);
    if (visible) this.visibleLabels.push(label);
    return visible;
  }

  #hide(value: JsonValue, state: PathState<Label>): JsonValue {
    this.hidden++;
    return this.#keep({ value, labels: labelsIn(value, state), path: this.#pathText });
  }
}

function labelsIn<Label>(node: JsonValue, state: PathState<Label>): [Label, ...Label[]] {
  if (state.settled) return [state.value];
  const found = new Set<Label>();
  collectLabels(node, state, found);
  found.delete(state.value);
  return [state.value, ...found];
}

function collectLabels<Label>(node: JsonValue, state: PathState<Label>, found: Set<Label>): void {
  found.add(state.value);
  if (typeof node !== "object" || node === null || state.settled) return;
  if (Array.isArray(node)) {
    for (const [at, item] of node.entries()) collectLabels(item, state.item(at), found);
    return;
  }
  for (const [key, member] of Object.entries(node)) {
    collectLabels(member, state.member(key), found);
  }
}
