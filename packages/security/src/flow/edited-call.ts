import type { FunctionTool, JsonObject, JsonValue } from "@tunic/core";
import { asTrusted } from "../labels/as-trusted.js";
import type { ContentLabel } from "../labels/content-label.js";
import type { CallLeaf } from "../policy/call-leaves.js";
import type { FlowRun } from "./flow-run.js";
import { type ReadCall, readCall } from "./read-call.js";

/**
 * A call whose arguments a person has changed. What they have written is their own word, whatever the model
 * had read; what they have left as it was keeps its label, also where it stands inside what they wrote.
 *
 * @param original The call as the model made it.
 */
export function readEditedCall(
  flow: FlowRun,
  tool: FunctionTool,
  args: JsonObject,
  original: ReadCall,
): ReadCall {
  const { lattice } = flow.settings;
  const own = asTrusted(lattice, original.callLabel);
  const call = readCall(flow, tool, args, own);
  const leaves = call.leaves?.map((leaf) => labelledAsBefore(flow, leaf, original.leaves ?? []));
  const labels = (leaves ?? []).map(({ label }) => label);
  return { ...call, leaves, argumentsLabel: lattice.joinAll([own, ...labels]) };
}

function labelledAsBefore(
  { settings: { lattice } }: FlowRun,
  leaf: CallLeaf,
  before: readonly CallLeaf[],
): CallLeaf {
  if (leaf.origin !== undefined) return leaf;
  const kept = before.filter((each) => isKept(leaf, each));
  const [first] = kept;
  if (first === undefined) return leaf;
  const label = lattice.joinAll([leaf.label, ...kept.map((each): ContentLabel => each.label)]);
  const { origin } = kept.find((each) => each.origin !== undefined) ?? first;
  return { ...leaf, label, origin };
}

/** Shorter texts stand in others by chance. */
const shortest = 4;

function isKept({ path, value }: CallLeaf, before: CallLeaf): boolean {
  if (path === before.path && isSame(value, before.value)) return true;
  const { value: text } = before;
  if (typeof text !== "string" || text.length < shortest || typeof value !== "string") return false;
  return value.includes(text);
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return typeof one === "object" ? JSON.stringify(one) === JSON.stringify(other) : one === other;
}
