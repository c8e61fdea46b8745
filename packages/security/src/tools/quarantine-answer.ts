import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import type { StoredVariable } from "../flow/flow-memory.js";
import { audit, type FlowRun } from "../flow/flow-run.js";
import { asTrusted } from "../labels/as-trusted.js";
import type { ContentLabel } from "../labels/content-label.js";
import { referenceTo } from "../tree/reference.js";
import { fixedMembers, schemaCapacity } from "./schema-capacity.js";

/**
 * Hidden leaf by leaf, where the schema alone says which members there are, and in which order: whichever of
 * them the isolated model wrote, or wrote first, would tell something.
 */
export function kept(
  flow: FlowRun,
  callId: string,
  value: JsonValue,
  label: ContentLabel,
  schema: JsonObject | undefined,
): JsonValue {
  const members = schema && fixedMembers(schema);
  if (members !== undefined) {
    return Object.fromEntries(
      Object.entries(members).map(([name, own]) => {
        const each = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
        return [name, kept(flow, callId, each ?? null, label, isJsonObject(own) ? own : undefined)];
      }),
    );
  }
  const bits = (schema && schemaCapacity(schema)) ?? Number.POSITIVE_INFINITY;
  return keptLeaf(flow, callId, value, withCapacity(flow, label, bits));
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
function keptLeaf(flow: FlowRun, callId: string, value: JsonValue, label: ContentLabel): JsonValue {
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
  return referenceTo(
    flow.variables.add(value, label, { callId, tool: "quarantined_llm", path: "$" }),
  );
}
