import type { FunctionTool, JsonObject, JsonValue } from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import type { CallLeaf } from "../policy/call-leaves.js";
import { type CompiledTool, unknownTool } from "../policy/compile-policy.js";
import type { ArgumentFlow, ValueOrigin } from "../policy/flow-policy.js";
import { definedNames, toolHash, toolKey } from "../policy/tool-identity.js";
import { originalOf } from "../tools/wrap-tool.js";
import { innerPath, type PathStep, pathText, wholeValue } from "../tree/json-path.js";
import type { PathState } from "../tree/path-pattern.js";
import { asReference, referencesIn } from "../tree/reference.js";
import { expand } from "./expand.js";
import { own } from "./flow-memory.js";
import type { FlowRun } from "./flow-run.js";
import { isVetted } from "./request-label.js";

/** A call with everything that its references stand for. */
export interface ReadCall {
  readonly tool: CompiledTool;
  readonly callLabel: ContentLabel;
  /** Undefined where a reference names nothing of this conversation. */
  readonly leaves: readonly CallLeaf[] | undefined;
  readonly argumentsLabel: ContentLabel;
  /** The arguments with values instead of references; as they are where one names nothing. */
  readonly effective: JsonObject;
}

/** What the policy says of a tool; of one whose definition is not the one that was looked at, the worst. */
export function flowOfTool(flow: FlowRun, tool: FunctionTool): CompiledTool {
  const { policy, lattice } = flow.settings;
  const original = originalOf(tool);
  const key = toolKey(original);
  const named = policy.tools.get(key);
  const changed = hasChanged(flow, original, key);
  if (named === undefined || changed) return unknownTool(key, lattice);
  const { definition = flow.settings.pins.get(key) } = named;
  const other = definition !== undefined && definition !== toolHash(original);
  return other ? unknownTool(key, lattice) : named;
}

/** Whether a foreign tool is not what it was when this conversation first met it. */
function hasChanged(flow: FlowRun, tool: FunctionTool, key: string): boolean {
  if (tool.trust !== "external" || isVetted(flow, tool)) return false;
  const first = own(flow.memory.definitions, key);
  return first !== undefined && first !== toolHash(tool);
}

/** @param callLabel Of the request that produced the call. */
export function readCall(
  flow: FlowRun,
  tool: FunctionTool,
  args: JsonObject,
  callLabel: ContentLabel,
): ReadCall {
  const { lattice } = flow.settings;
  const compiled = flowOfTool(flow, tool);
  const defined = definedNames(originalOf(tool));
  const leaves = readLeaves(flow, compiled, args, callLabel, defined);
  return {
    tool: compiled,
    callLabel,
    leaves,
    argumentsLabel: lattice.joinAll([
      callLabel,
      ...(leaves?.map((leaf) => leaf.label) ?? namedLabels(flow, args)),
    ]),
    effective: leaves === undefined ? args : expand(flow, args),
  };
}

/** Of the variables that arguments name, where some of their parts are not there: which are, tells of the variables. */
function namedLabels({ variables, settings }: FlowRun, args: JsonObject): readonly ContentLabel[] {
  const { lattice } = settings;
  return referencesIn(args).flatMap(({ id }) => {
    const stored = variables.get(id);
    return stored === undefined ? [] : [lattice.read(stored.label) ?? lattice.top];
  });
}

/** What the arguments of a call are read against. */
interface LeafTerms {
  readonly settings: Pick<FlowRun["settings"], "lattice">;
  readonly variables: FlowRun["variables"];
}

/**
 * All values of the arguments of a call; undefined where a reference names nothing of the conversation.
 *
 * @param defined Names of members that the tool's definition has. Without them, all names count as its own.
 */
export function readLeaves(
  terms: LeafTerms,
  tool: CompiledTool,
  args: JsonObject,
  callLabel: ContentLabel,
  defined?: ReadonlySet<string>,
): readonly CallLeaf[] | undefined {
  const reader = new LeafReader(terms, callLabel, defined);
  reader.members(args, tool.arguments.root, tool.recipients.root);
  return reader.complete ? reader.leaves : undefined;
}

/** Walks arguments once: what a reference stands for is walked, too, but not searched for references. */
class LeafReader {
  readonly leaves: CallLeaf[] = [];
  complete = true;
  readonly #flow: LeafTerms;
  readonly #callLabel: ContentLabel;
  readonly #defined: ReadonlySet<string> | undefined;
  readonly #path: PathStep[] = [];

  constructor(flow: LeafTerms, callLabel: ContentLabel, defined: ReadonlySet<string> | undefined) {
    this.#flow = flow;
    this.#callLabel = callLabel;
    this.#defined = defined;
  }

  members(object: JsonObject, flows: Flows, recipients: Recipients): void {
    for (const key of Object.keys(object)) {
      const value = object[key];
      if (value === undefined) continue;
      this.#path.push(key);
      this.#value(value, flows.member(key), recipients.member(key), undefined);
      this.#path.pop();
    }
  }

  #value(
    value: JsonValue,
    flows: Flows,
    recipients: Recipients,
    variable: KnownVariable | undefined,
  ): void {
    if (typeof value !== "object" || value === null) {
      this.#leaf(value, flows, recipients, variable);
      return;
    }
    const reference = variable === undefined ? asReference(value) : undefined;
    if (reference !== undefined) {
      this.#reference(reference, flows, recipients);
      return;
    }
    // An empty list says nothing, but where it came from does, and so do the names that lead to it.
    if (isEmpty(value) && (variable !== undefined || this.#path.length > 1)) {
      this.#leaf(value, flows, recipients, variable);
    }
    const entries = Array.isArray(value)
      ? value.map((item: JsonValue, at): [PathStep, JsonValue] => [at, item])
      : Object.entries(value as JsonObject);
    for (const [step, each] of entries) {
      this.#path.push(step);
      const down = <Value>(state: PathState<Value>): PathState<Value> =>
        typeof step === "number" ? state.item(step) : state.member(step);
      this.#value(each, down(flows), down(recipients), variable);
      this.#path.pop();
    }
  }

  #reference(
    { id, path }: { id: string; path: string },
    flows: Flows,
    recipients: Recipients,
  ): void {
    const stored = this.#flow.variables.get(id, path);
    if (stored === undefined) {
      this.complete = false;
      return;
    }
    const label = this.#flow.settings.lattice.read(stored.label) ?? this.#flow.settings.lattice.top;
    const origin = { ...stored.origin, path: innerPath(stored.origin.path ?? wholeValue, path) };
    const variable = { label, origin: { variable: id, ...origin } };
    this.#value(stored.value, flows, recipients, variable);
  }

  #leaf(
    value: JsonValue,
    flows: Flows,
    recipients: Recipients,
    variable: KnownVariable | undefined,
  ): void {
    const defined = this.#defined;
    const names = this.#path.filter(
      (step): step is string => typeof step === "string" && defined?.has(step) === false,
    );
    this.leaves.push({
      path: pathText(this.#path),
      value,
      label: variable?.label ?? this.#callLabel,
      ...(names.length > 0 && { names }),
      // The tool's schema may make a list or an object of it, in which it is guarded.
      flow: flows.whole,
      recipient: recipients.whole,
      origin: variable?.origin,
    });
  }
}

type Flows = PathState<ArgumentFlow | undefined>;
type Recipients = PathState<boolean>;

interface KnownVariable {
  readonly label: ContentLabel;
  readonly origin: ValueOrigin;
}

function isEmpty(value: JsonValue): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
