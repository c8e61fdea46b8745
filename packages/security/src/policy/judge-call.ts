import type { JsonObject, JsonValue } from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import type { LabelLattice } from "../labels/label-lattice.js";
import type { CallFacts } from "./call-facts.js";
import type { CallLeaf } from "./call-leaves.js";
import type { CompiledPolicy, CompiledTool } from "./compile-policy.js";
import { type Endorsement, endorseCall } from "./endorse-call.js";
import type { FlowRule, FlowViolation } from "./flow-policy.js";
import { linksIn } from "./links.js";
import type { NamedValues } from "./named-values.js";

/** What came of it. */
export interface FlowJudgement {
  /** None: the call may run. */
  readonly violations: readonly FlowViolation[];
  /** What was let through although it is untrusted. */
  readonly endorsements: readonly Endorsement[];
}

/** How many breaches of one rule a judgement tells of: a list may break it in each of its items. */
const mostOfRule = 20;

/**
 * Judges one call. A pure function of its facts: no clock, no store, no order of calls. Of the breaches of each
 * rule it tells the first 20.
 */
export function judgeCall(policy: CompiledPolicy, facts: CallFacts): FlowJudgement {
  const judgement = judgeAll(policy, facts);
  const told = new Map<FlowRule, number>();
  const violations = judgement.violations.filter(({ rule }) => {
    const count = (told.get(rule) ?? 0) + 1;
    told.set(rule, count);
    return count <= mostOfRule;
  });
  return { ...judgement, violations };
}

function judgeAll(policy: CompiledPolicy, facts: CallFacts): FlowJudgement {
  const { tool, leaves } = facts;
  if (leaves === undefined) {
    return { violations: [{ rule: "unknown_reference" }], endorsements: [] };
  }
  const others = [
    ...levelViolations(policy.lattice, leaves),
    ...(facts.strict ? contextViolations(policy.lattice, facts, leaves) : []),
  ];
  const { rule } = tool;
  if (rule === "always") return { violations: others, endorsements: [] };
  const flow = rule === "trusted_action" ? [] : flowViolations(policy.lattice, facts, leaves);
  if (rule === "permitted_flow") return { violations: [...flow, ...others], endorsements: [] };
  // What is trusted needs no endorsement, and most calls are.
  const endorsements = isTrusted(facts.callLabel, leaves) ? [] : endorseCall(policy, facts, leaves);
  const trust = trustViolations(facts, leaves, endorsements);
  if (trust.length === 0 && rule === "either") return { violations: others, endorsements };
  if (flow.length === 0 && rule === "either") {
    // Whoever decided need not be trusted then; what the guarded arguments hold has to be.
    return { violations: [...guardViolations(leaves, endorsements), ...others], endorsements };
  }
  const violations = [...trust, ...flow, ...others];
  const unknown: FlowViolation[] = tool.known ? [] : [{ rule: "unknown_tool" }];
  return {
    violations: violations.length > 0 ? [...unknown, ...violations] : [],
    endorsements: trust.length === 0 ? endorsements : [],
  };
}

function isTrusted(callLabel: ContentLabel, leaves: readonly CallLeaf[]): boolean {
  return (
    callLabel.integrity === "trusted" && leaves.every(({ label }) => label.integrity === "trusted")
  );
}

/** P-T: whoever decided is trusted, and so is what the guarded arguments hold. */
function trustViolations(
  { callLabel }: CallFacts,
  leaves: readonly CallLeaf[],
  endorsements: readonly Endorsement[],
): readonly FlowViolation[] {
  const wholeCall = endorsements.some(({ at }) => at === "");
  if (callLabel.integrity === "trusted" || wholeCall) return guardViolations(leaves, endorsements);
  // What the model has written itself is as trusted as the call: said once.
  const referred = leaves.filter(({ origin }) => origin !== undefined);
  return [
    { rule: "trusted_call", label: asJson(callLabel) },
    ...guardViolations(referred, endorsements),
  ];
}

function guardViolations(
  leaves: readonly CallLeaf[],
  endorsements: readonly Endorsement[],
): readonly FlowViolation[] {
  const endorsed = new Set(endorsements.map(({ at }) => at));
  if (endorsed.has("")) return [];
  const wrong = leaves.filter(
    ({ flow, label, path }) =>
      flow?.integrity === "trusted" && label.integrity === "untrusted" && !endorsed.has(path),
  );
  return wrong.map((leaf) => about("trusted_argument", leaf));
}

/** P-F: everybody who receives the data may read it, and no link goes along that nobody trusted has written. */
function flowViolations(
  lattice: LabelLattice,
  { tool, named }: CallFacts,
  leaves: readonly CallLeaf[],
): readonly FlowViolation[] {
  const names = recipientsIn(leaves);
  const violations: FlowViolation[] = [];
  for (const leaf of leaves) {
    // Names of receivers are data, too: a secret may be spelt as an address.
    if (!mayReceive(lattice, tool, leaf.label, names)) {
      violations.push(about("permitted_flow", leaf));
    }
    const hasLink = hasForeignLink(leaf.value, named) || hasForeignLink(leaf.path, named);
    if (leaf.label.integrity === "untrusted" && hasLink) {
      violations.push(about("untrusted_link", leaf));
    }
  }
  return violations;
}

/** Everybody who is named; what is neither a name nor nothing is somebody, too. */
function recipientsIn(leaves: readonly CallLeaf[]): readonly string[] {
  return leaves.flatMap(({ recipient, value }) => {
    if (!recipient || value === null || value === "") return [];
    return typeof value === "object" ? [] : [String(value)];
  });
}

/** Whether data of a label may go to everybody who is named; without names it goes to anybody. */
function mayReceive(
  lattice: LabelLattice,
  tool: CompiledTool,
  label: ContentLabel,
  recipients: readonly string[],
): boolean {
  const { readers } = label;
  if (readers === undefined) {
    return lattice.levels.indexOf(label.confidentiality) <= tool.clearance;
  }
  return recipients.length > 0 && recipients.every((each) => readers.includes(each));
}

function hasForeignLink(value: JsonValue, named: NamedValues): boolean {
  return typeof value === "string" && linksIn(value).some((link) => !named.hasLink(link));
}

function levelViolations(
  lattice: LabelLattice,
  leaves: readonly CallLeaf[],
): readonly FlowViolation[] {
  const level = (name: string): number => lattice.levels.indexOf(name);
  const tooHigh = leaves.filter(({ flow, label }) => {
    const most = flow?.confidentiality;
    return most !== undefined && level(label.confidentiality) > level(most);
  });
  return tooHigh.map((leaf) => about("argument_level", leaf));
}

/** Which call is made, and how often, tells of the context, too. */
function contextViolations(
  lattice: LabelLattice,
  { tool, callLabel }: CallFacts,
  leaves: readonly CallLeaf[],
): readonly FlowViolation[] {
  if (!tool.effects.has("egress")) return [];
  if (mayReceive(lattice, tool, callLabel, recipientsIn(leaves))) return [];
  return [{ rule: "confidential_context", label: asJson(callLabel) }];
}

function about(rule: FlowRule, { path, label, origin }: CallLeaf): FlowViolation {
  return { rule, argument: path, label: asJson(label), ...(origin && { origin }) };
}

function asJson(label: ContentLabel): JsonObject {
  return { ...label } as unknown as JsonObject;
}
