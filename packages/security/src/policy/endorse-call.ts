import type { CallFacts } from "./call-facts.js";
import type { CallLeaf } from "./call-leaves.js";
import type { CompiledPolicy, CompiledTool } from "./compile-policy.js";
import type { EndorseRule } from "./flow-policy.js";
import { bitsOf, isBounded, isSpecific } from "./named-values.js";

/** Something untrusted that counts as trusted, by a rule of the policy. */
export interface Endorsement {
  /** Path of the argument; empty: the whole call. */
  readonly at: string;
  readonly rule: EndorseRule;
  readonly bits: number;
}

/**
 * What the policy's rules let through of a call: its untrusted guarded arguments, or, where an
 * untrusted context decided on it, the call as a whole. Nothing where the budget does not suffice.
 */
export function endorseCall(
  policy: CompiledPolicy,
  facts: CallFacts,
  leaves: readonly CallLeaf[],
): readonly Endorsement[] {
  const untrusted = facts.callLabel.integrity === "untrusted";
  const found = untrusted
    ? endorseContext(policy, facts, leaves)
    : endorseArguments(policy, facts, leaves);
  const bits = found.reduce((sum, each) => sum + each.bits, 0);
  return bits <= facts.bitsLeft ? found : [];
}

function endorseArguments(
  policy: CompiledPolicy,
  facts: CallFacts,
  leaves: readonly CallLeaf[],
): readonly Endorsement[] {
  return leaves.flatMap((leaf) => {
    if (leaf.flow?.integrity !== "trusted" || leaf.label.integrity === "trusted") return [];
    for (const rule of policy.endorse) {
      if (rule.type === "lookup") continue;
      const bits = appliesTo(rule, facts.tool, leaf)
        ? bitsBy(rule, policy, facts, leaf)
        : undefined;
      if (bits !== undefined) return [{ at: leaf.path, rule, bits }];
    }
    return [];
  });
}

/** A call is one choice: every argument is the user's own word or too small, or none of it is let through. */
function endorseContext(
  policy: CompiledPolicy,
  facts: CallFacts,
  leaves: readonly CallLeaf[],
): readonly Endorsement[] {
  const rule = policy.endorse.find(
    (each): each is Extract<EndorseRule, { type: "selection" }> =>
      each.type === "selection" &&
      each.untrustedContext === true &&
      leaves.every((leaf) => appliesTo(each, facts.tool, leaf)),
  );
  if (rule === undefined) return [];
  let bits = 0;
  let words = 0;
  for (const { value, flow, names = [] } of leaves) {
    const namesBits = sumOf(names.map(facts.named.bitsFor));
    if (namesBits === undefined) return [];
    bits += namesBits;
    const own = facts.named.bitsFor(value);
    if (own !== undefined) {
      bits += own;
      if (isSpecific(value)) words += 1;
    } else if (flow?.integrity !== "trusted" && isBounded(value)) bits += bitsOf(value);
    else return [];
  }
  return words > 0 ? [{ at: "", rule, bits }] : [];
}

/** What a rule lets through, in bits; undefined where it does not. */
function bitsBy(
  rule: ArgumentRule,
  policy: CompiledPolicy,
  { named }: CallFacts,
  { value, label, names = [] }: CallLeaf,
): number | undefined {
  if (rule.type === "value") {
    const { capacity } = label;
    return capacity !== undefined && capacity <= rule.maxBits ? capacity : undefined;
  }
  // What stands as a name is chosen as a value is.
  const chosen = [value, ...names];
  if (rule.from === "user") return sumOf(chosen.map(named.bitsFor));
  const list = policy.lists.get(rule.from);
  if (list === undefined || typeof value === "object") return undefined;
  return chosen.every((each) => list.has(each)) ? chosen.length * Math.log2(list.size) : undefined;
}

/** Undefined where one of them is. */
function sumOf(bits: readonly (number | undefined)[]): number | undefined {
  return bits.reduce<number | undefined>(
    (sum, each) => (sum === undefined || each === undefined ? undefined : sum + each),
    0,
  );
}

/** Whether a rule is about this argument. */
function appliesTo(
  { into = everything }: ArgumentRule,
  tool: CompiledTool,
  leaf: CallLeaf,
): boolean {
  const argument = leaf.path.match(/^[^.[]*/)?.[0] ?? "";
  return into.some(
    (pattern) =>
      pattern === "*" ||
      pattern === `${tool.key}.*` ||
      pattern === `*.${argument}` ||
      pattern === `${tool.key}.${argument}`,
  );
}

/** A rule about arguments. */
type ArgumentRule = Exclude<EndorseRule, { type: "lookup" }>;

const everything = ["*"];
