import type { Content, FunctionResultContent, JsonValue, Message } from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import { isSealed } from "../labels/label-seal.js";
import { labelMadeHere } from "../labels/label-table.js";
import type { FlowRun } from "./flow-run.js";

/** Contents and messages, as far as labels go. */
type Labelled = Pick<Message, "additionalProperties">;

/** The label that a content or message says it has, whoever has written it. */
export function writtenLabel({ additionalProperties }: Labelled): unknown {
  if (additionalProperties === undefined || !Object.hasOwn(additionalProperties, "label"))
    return undefined;
  return additionalProperties["label"];
}

/**
 * The label of a content or message, where it can be believed: code of this process has put it there,
 * or it is sealed, or, with `ours`, our own session says so and there is no secret to seal with.
 *
 * @param sealed What the seal is over.
 */
export function believedLabel(
  { settings: { lattice, labelSecret } }: FlowRun,
  part: Labelled,
  ours: boolean,
  sealed: () => JsonValue,
): ContentLabel | undefined {
  const written = writtenLabel(part);
  if (written === undefined) return undefined;
  // Code may have labelled it by a lattice of its own; what that says is read in the levels of this one.
  const authentic = lattice.authentic(written) ?? lattice.read(labelMadeHere(written));
  if (authentic !== undefined) return authentic;
  const read = lattice.read(written);
  if (read === undefined) return undefined;
  if (labelSecret === undefined) return ours ? read : undefined;
  const seal = part.additionalProperties?.["labelSeal"];
  const genuine =
    typeof seal === "string" && isSealed(seal, { ...read } as never, sealed(), labelSecret);
  return genuine ? read : undefined;
}

/**
 * What a message's seal is over: what it says, without ids, which change when it enters a log, and without
 * the questions that the loop adds when it pauses.
 */
export function sealedMessage(contents: readonly Content[]): JsonValue {
  return contents.filter(({ type }) => !added.has(type)).map(sealedContent);
}

const added: ReadonlySet<string> = new Set(["function_approval_request", "paused_call"]);

/**
 * What a content's seal is over: all that a model may get of it. A vendor's own data can be sent in its place,
 * and so can the reference to a value that was shown.
 */
export function sealedContent(content: Content): JsonValue {
  const { additionalProperties, providerData, ...rest } = content as Content & {
    readonly callId?: string;
  };
  const { callId: _id, ...said } = rest as Record<string, unknown>;
  const { variable } = additionalProperties ?? {};
  const own = content.type === "function_call" ? withoutCallIds(providerData) : providerData;
  const sealed = { ...said, ...(variable !== undefined && { variable }), ...(own && { own }) };
  return sealed as unknown as JsonValue;
}

/** A call that gets another id in a log keeps the vendor's own in its data, where perhaps nothing was before. */
function withoutCallIds(data: Content["providerData"] = {}): Content["providerData"] {
  const entries = Object.entries(data).flatMap(([vendor, { callId: _, ...own }]) =>
    Object.keys(own).length === 0 ? [] : [[vendor, own] as const],
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** What the seal of a part of a result is over: of an error that stands beside it the model may read, too. */
export function sealedPart(
  content: Content,
  { isError = false, error }: Pick<FunctionResultContent, "isError" | "error">,
): JsonValue {
  const said = sealedContent(content);
  if (!isError && error === undefined) return said;
  return { part: said, isError, ...(error && { error: { ...error } }) };
}

/** What a context provider brings into a run, by the provider's name. */
export function providerLabel(
  { settings: { lattice, providers } }: FlowRun,
  name: unknown,
): ContentLabel {
  return (typeof name === "string" ? providers.get(name) : undefined) ?? lattice.top;
}

/** A part of a user's message. What it says of itself can only restrict, unless it is to be believed. */
export function userContentLabel(flow: FlowRun, content: Content): ContentLabel {
  const { lattice, labels } = flow.settings;
  const believed = believedLabel(flow, content, false, () => sealedContent(content));
  if (believed !== undefined) return believed;
  const usual = content.type === "text" ? labels.user : labels.attachments;
  const written = writtenLabel(content);
  if (written === undefined) return usual;
  return lattice.join(usual, lattice.read(written) ?? lattice.top);
}
