import {
  type ChatOptions,
  type Instruction,
  isJsonObject,
  type JsonValue,
  type Tool,
} from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import { toolHash, toolKey } from "../policy/tool-identity.js";
import { originalOf } from "../tools/wrap-tool.js";
import { providerLabel } from "./content-labels.js";
import { member, own, put } from "./flow-memory.js";
import type { FlowRun } from "./flow-run.js";

/**
 * The join of everything that a model can read while it answers a request.
 *
 * @param shown Of its messages.
 */
export function requestLabel(
  flow: FlowRun,
  shown: ContentLabel,
  options: ChatOptions,
): ContentLabel {
  const { lattice, labels } = flow.settings;
  return lattice.joinAll([
    flow.floor,
    labels.instructions,
    providedLabel(flow, options.instructions),
    shown,
    toolsLabel(flow, options.tools ?? []),
    heldLabel(flow, options),
  ]);
}

/** What context providers say in each run anew is retrieved: untrusted, unless the configuration says more. */
function providedLabel(flow: FlowRun, instructions: ChatOptions["instructions"]): ContentLabel {
  const { lattice } = flow.settings;
  if (!Array.isArray(instructions)) return lattice.bottom;
  return lattice.joinAll(
    (instructions as readonly Instruction[]).map((each) =>
      each.provided ? providerLabel(flow, each.source) : lattice.bottom,
    ),
  );
}

/** Descriptions are read by the model, too: those of a foreign server may be anything. */
function toolsLabel(flow: FlowRun, tools: readonly Tool[]): ContentLabel {
  const { lattice } = flow.settings;
  for (const tool of tools) noteDefinition(flow, tool);
  return tools.some((tool) => !isVetted(flow, tool)) ? lattice.label("untrusted") : lattice.bottom;
}

/** A foreign tool is what it was when the conversation first met it, or it is another one. */
function noteDefinition({ memory }: FlowRun, tool: Tool): void {
  if (tool.type === "hosted" || tool.trust !== "external") return;
  const original = originalOf(tool);
  member(memory.definitions, toolKey(original), () => toolHash(original));
}

/**
 * Whether somebody here has looked at a tool's definition: the program's own tools, and foreign ones
 * whose hash the policy names.
 */
export function isVetted(flow: FlowRun, tool: Tool): boolean {
  if (tool.type === "hosted" || tool.trust !== "external") return true;
  const original = originalOf(tool);
  const { definition } = flow.settings.policy.tools.get(toolKey(original)) ?? {};
  return definition !== undefined && definition === toolHash(original);
}

/** What the service holds and the request only points to. */
function heldLabel(flow: FlowRun, options: ChatOptions): ContentLabel {
  const { lattice, policy } = flow.settings;
  const { conversationId, providerOptions, tools = [] } = options;
  const ids = conversationId === undefined ? [] : [conversationId];
  for (const own of Object.values(providerOptions ?? {})) ids.push(...heldIds(own));
  for (const tool of tools) {
    // Where the policy says what a hosted tool brings, it says so of all that it looks into.
    if (tool.type !== "hosted" || policy.source.tools[toolKey(tool)]?.result !== undefined)
      continue;
    ids.push(...heldIds(tool.definition));
  }
  return lattice.joinAll(ids.map((id) => labelOfHeld(flow, id)));
}

/** As it was recorded when the id was made, or as the configuration says. */
function labelOfHeld({ memory, settings: { lattice, held } }: FlowRun, id: string): ContentLabel {
  const recorded = own(memory.held, id);
  if (recorded !== undefined) return lattice.read(recorded) ?? lattice.top;
  return held.get(id) ?? lattice.top;
}

/** Options of services that name something the service holds: a conversation, a cache, files, stores. */
const heldNames =
  /^(?:previous_?response_?id|conversation(?:_?id)?|cached_?content|container(?:_?id)?|(?:file|vector_?store)_?ids?)$/i;

/** The ids in a service's options that stand for something the model will read. */
function heldIds(value: JsonValue, held = false): readonly string[] {
  if (typeof value === "string") return held ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((each: JsonValue) => heldIds(each, held));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    heldIds(each, heldNames.test(name) || (held && name === "id")),
  );
}

/** Remembers the label of what a service holds from now on. */
export function recordHeld(
  flow: FlowRun,
  ids: readonly (string | undefined)[],
  label: ContentLabel,
): void {
  for (const id of ids) if (id !== undefined) put(flow.memory.held, id, label);
}
