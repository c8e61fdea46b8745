import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import type { StoredVariable } from "../flow/flow-memory.js";
import { audit, type FlowRun } from "../flow/flow-run.js";
import { asTrusted } from "../labels/as-trusted.js";
import type { ContentLabel } from "../labels/content-label.js";
import type { ValueOrigin } from "../policy/flow-policy.js";
import { innerPath, pathText, wholeValue } from "../tree/json-path.js";
import { referenceTo } from "../tree/reference.js";
import { fixedMembers, schemaCapacity } from "./schema-capacity.js";

/** Where an answer comes from: the call that asked, and what it asked about. */
export interface AnswerOrigin extends ValueOrigin {
  readonly callId: string;
  readonly path: string;
}

/** How many values an answer says that it was made of. */
const mostSources = 20;

/**
 * The origin of an answer about values. Of what was itself made by the quarantine only the first values
 * count: each answer would else hold all answers before it.
 */
export function answerOrigin(callId: string, found: readonly StoredVariable[]): AnswerOrigin {
  const sources = new Map(
    found
      .flatMap(({ origin }) => origin.of ?? [origin])
      .map((origin) => [`${origin.variable} ${origin.path}`, origin] as const),
  );
  const of = [...sources.values()].slice(0, mostSources);
  return { callId, tool: "quarantined_llm", path: wholeValue, ...(of.length > 0 && { of }) };
}

/**
 * Hidden leaf by leaf, where the schema alone says which members there are, and in which order: whichever of
 * them the isolated model wrote, or wrote first, would tell something.
 */
export function kept(
  flow: FlowRun,
  origin: AnswerOrigin,
  value: JsonValue,
  label: ContentLabel,
  schema: JsonObject | undefined,
): JsonValue {
  const members = schema && fixedMembers(schema);
  if (members !== undefined) {
    return Object.fromEntries(
      Object.entries(members).map(([name, own]) => {
        const each = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
        const at = { ...origin, path: innerPath(origin.path, pathText([name])) };
        return [name, kept(flow, at, each ?? null, label, isJsonObject(own) ? own : undefined)];
      }),
    );
  }
  const bits = (schema && schemaCapacity(schema)) ?? Number.POSITIVE_INFINITY;
  return keptLeaf(flow, origin, value, withCapacity(flow, label, bits));
}

/** What an attacker can have said in a question and the values that it is about: their bits add up. */
export function bitsIn(
  { settings: { lattice } }: FlowRun,
  callLabel: ContentLabel,
  found: readonly StoredVariable[],
): number {
  // What is in view may be many small values.
  if (callLabel.integrity === "untrusted") return Number.POSITIVE_INFINITY;
  const labels = found.map(({ label }) => lattice.read(label) ?? lattice.top);
  return labels.reduce(
    (sum, { integrity, capacity = Number.POSITIVE_INFINITY }) =>
      integrity === "trusted" ? sum : sum + capacity,
    0,
  );
}

/** With so many bits at most, where it is untrusted. */
export function withCapacity(
  { settings: { lattice } }: FlowRun,
  { capacity = Number.POSITIVE_INFINITY, ...label }: ContentLabel,
  bits: number,
): ContentLabel {
  const least = Math.min(capacity, bits);
  const bounded = label.integrity === "untrusted" && Number.isFinite(least);
  return lattice.label(bounded ? { ...label, capacity: least } : label);
}

/** Shown where a rule of the policy endorses so small a value, else kept as a variable. */
function keptLeaf(
  flow: FlowRun,
  origin: AnswerOrigin,
  value: JsonValue,
  label: ContentLabel,
): JsonValue {
  const { callId } = origin;
  const { policy } = flow.settings;
  const { capacity } = label;
  const rule = policy.endorse.find(
    (each) =>
      each.type === "value" &&
      capacity !== undefined &&
      capacity <= each.maxBits &&
      (each.into ?? ["*"]).includes("*"),
  );
  const affordable = capacity !== undefined && flow.ledger.bits + capacity <= policy.endorseBits;
  if (rule !== undefined && affordable) {
    flow.ledger.bits += capacity;
    audit(flow, "endorse", {
      callId,
      at: "result",
      bits: capacity,
      rule: rule as unknown as JsonObject,
    });
    const { lattice } = flow.settings;
    const shown = asTrusted(lattice, label);
    flow.ownResults.set(callId, lattice.join(flow.ownResults.get(callId) ?? lattice.bottom, shown));
    // The order of members was not counted.
    return JSON.parse(canonicalJson(value)) as JsonValue;
  }
  return referenceTo(flow.variables.add(value, label, origin));
}
