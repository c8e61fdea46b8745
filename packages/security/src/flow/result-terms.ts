import type { Content, JsonValue, ToolResult } from "@tunic/core";
import { asTrusted } from "../labels/as-trusted.js";
import type { ContentLabel } from "../labels/content-label.js";
import { sealLabel } from "../labels/label-seal.js";
import type { CompiledTool } from "../policy/compile-policy.js";
import { referenceTo } from "../tree/reference.js";
import { sealedPart } from "./content-labels.js";
import { own } from "./flow-memory.js";
import { audit, type CallRecord, type FlowRun } from "./flow-run.js";
import { resourceKeys } from "./resources.js";

/** What a result is labelled with. */
export interface ResultTerms {
  readonly flow: FlowRun;
  readonly record: CallRecord;
  readonly tool: CompiledTool;
  readonly callId: string;
  /** What holds for the result as a whole: of the call, its arguments and what it has read. */
  readonly base: ContentLabel;
  /** What holds for parts that were only looked up by the arguments. */
  readonly lookedUp: ContentLabel;
}

/** @param tool What the policy says of it. */
export function resultTerms(
  flow: FlowRun,
  callId: string,
  record: CallRecord,
  tool: CompiledTool,
): ResultTerms {
  const { argumentsLabel } = record;
  const base = baseLabel(flow, callId, record, tool, argumentsLabel);
  const trusted = asTrusted(flow.settings.lattice, argumentsLabel);
  const lookedUp =
    trusted === argumentsLabel ? base : baseLabel(flow, callId, record, tool, trusted);
  return { flow, record, tool, callId, base, lookedUp };
}

function baseLabel(
  flow: FlowRun,
  callId: string,
  { callLabel, effective }: CallRecord,
  tool: CompiledTool,
  argumentsLabel: ContentLabel,
): ContentLabel {
  const { lattice } = flow.settings;
  const read = resourceKeys(tool.reads, effective).map((key) => {
    const label = own(flow.memory.resources, key);
    return label === undefined ? lattice.bottom : (lattice.read(label) ?? lattice.top);
  });
  const child = flow.childLabels.get(callId) ?? lattice.bottom;
  const { capacity: _, ...rest } = lattice.joinAll([callLabel, argumentsLabel, child, ...read]);
  // What is made of several small values says as much as all of them: a join does not add up their bits.
  return lattice.label(rest);
}

/** Whether the model may see what has this label, in the context that it called from. */
export function isVisible({ flow, record }: ResultTerms, label: ContentLabel): boolean {
  const { hide, lattice } = flow.settings;
  if (hide === "nothing") return true;
  if (label.integrity === "untrusted" && record.callLabel.integrity === "trusted") return false;
  return hide === "untrusted" || lattice.flowsTo(label, record.callLabel);
}

/** Keeps a value, and gives the reference that stands for it. */
export function hideValue(
  { flow, callId, tool }: ResultTerms,
  value: JsonValue,
  label: ContentLabel,
  path: string,
): JsonValue {
  return referenceTo(flow.variables.add(value, label, { callId, tool: tool.key, path }));
}

/** Notes the label of a result, for the requests that will show it. */
export function remember(
  { flow, callId, tool }: ResultTerms,
  label: ContentLabel,
  hidden: number,
): void {
  flow.results.set(callId, label);
  if (flow.settings.audit === undefined) return;
  audit(flow, "label", { callId, tool: tool.key, label: { ...label } as never });
  if (hidden > 0) audit(flow, "hide", { callId, tool: tool.key, values: hidden });
}

/**
 * Puts a label on a content, with a seal where there is a secret.
 *
 * @param result That the content is a part of.
 */
export function stamp(
  flow: FlowRun,
  content: Content,
  label: ContentLabel,
  result: Pick<ToolResult, "isError" | "error">,
): Content {
  const { labelSecret } = flow.settings;
  const { additionalProperties } = content;
  const seal = labelSecret && {
    labelSeal: sealLabel(label, sealedPart(content, result), labelSecret),
  };
  return {
    ...content,
    additionalProperties: { ...additionalProperties, label: label as never, ...seal },
  };
}
