import {
  type AgentSession,
  copyJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type RunContext,
} from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import type { ValueOrigin } from "../policy/flow-policy.js";
import type { FlowDecision } from "./flow-decision.js";

/** A hidden value. */
export interface StoredVariable {
  readonly value: JsonValue;
  readonly label: ContentLabel;
  readonly origin: ValueOrigin;
}

/**
 * What information flow control keeps of one conversation: plain JSON in the session's state, so that
 * it survives whatever the session survives. Nothing of it stands in a middleware object.
 */
export interface FlowMemory {
  readonly version: 1;
  /** Hidden values by id. */
  readonly variables: Record<string, StoredVariable>;
  /** The number of the next variable. */
  next: number;
  /** Bytes of all variables. */
  bytes: number;
  /** Labels of messages that came in with an input, by message id. */
  readonly messages: Record<string, ContentLabel>;
  /** Labels of what tools have written to, by key. */
  readonly resources: Record<string, ContentLabel>;
  /** Labels of what a service holds, by its id. */
  readonly held: Record<string, ContentLabel>;
  /** Hashes of foreign definitions as they were first seen, by tool key. */
  readonly definitions: Record<string, string>;
  /** What a person was asked about or has permitted, by call id: the hash of everything that the permit is for. */
  readonly permits: Record<string, string>;
  /** Bits that endorsements have let through, also those of agents inside. */
  bits: number;
  /** Decisions on calls by call id, the oldest first. */
  readonly decisions: Record<string, FlowDecision>;
  /** Labels that code has lowered, the oldest first. */
  readonly lowered: JsonObject[];
  /** The memories of agents that a call of this one runs, by call id. */
  readonly children: Record<string, FlowMemory>;
}

const stateKey = "tunic.flow";

/** An empty memory. */
export function newFlowMemory(): FlowMemory {
  return {
    version: 1,
    variables: record(),
    next: 1,
    bytes: 0,
    messages: record(),
    resources: record(),
    held: record(),
    definitions: record(),
    permits: record(),
    bits: 0,
    decisions: record(),
    lowered: [],
    children: record(),
  };
}

/**
 * The memory of a run's conversation: in its session, or, for an agent that is called as a tool, in
 * that of the run around it, under the call. Undefined where no session is around.
 */
export function flowMemoryOf(run: RunContext): FlowMemory | undefined {
  if (run.session) return flowMemoryIn(run.session);
  const { parent, parentCallId } = run;
  if (parent === undefined) return undefined;
  const around = flowMemoryOf(parent);
  if (around === undefined || parentCallId === undefined) return around;
  return member(around.children, parentCallId, newFlowMemory);
}

/**
 * The memory that counts what is endorsed: of the outermost run, so that agents inside it have no budget
 * of their own. Undefined where no session is around.
 */
export function flowLedgerOf(run: RunContext): FlowMemory | undefined {
  if (run.session) return flowMemoryIn(run.session);
  return run.parent && flowLedgerOf(run.parent);
}

/** The memory in a session; begun where there is none, or where it is not to be read. */
export function flowMemoryIn(session: AgentSession): FlowMemory {
  const stored: unknown = Object.hasOwn(session.state, stateKey)
    ? session.state[stateKey]
    : undefined;
  if (loaded.has(stored as object)) return stored as FlowMemory;
  const memory = isJsonObject(stored) ? readMemory(stored) : newFlowMemory();
  session.state[stateKey] = memory as unknown as JsonObject;
  loaded.add(memory);
  return memory;
}

/** The memories of this process; whatever else stands in a session was stored, and is read first. */
const loaded = new WeakSet<object>();

const records = [
  "variables",
  "messages",
  "resources",
  "held",
  "definitions",
  "permits",
  "decisions",
] as const satisfies readonly (keyof FlowMemory)[];

/** Member by member, so that nothing in a stored memory can reach a prototype. */
function readMemory(stored: JsonObject): FlowMemory {
  const memory = newFlowMemory();
  const source = copyJson(stored);
  for (const name of records) {
    const part = partOf(source, name);
    for (const [key, value] of Object.entries(part))
      put(memory[name] as Record<string, unknown>, key, value);
  }
  for (const name of ["next", "bytes", "bits"] as const) {
    const count = source[name];
    if (typeof count === "number" && count >= 0) memory[name] = count;
  }
  const { lowered } = source;
  if (Array.isArray(lowered)) memory.lowered.push(...lowered.filter(isJsonObject));
  for (const [key, child] of Object.entries(partOf(source, "children"))) {
    if (isJsonObject(child)) put(memory.children, key, readMemory(child));
  }
  return memory;
}

function partOf(source: JsonObject, name: string): JsonObject {
  const part = Object.hasOwn(source, name) ? source[name] : undefined;
  return isJsonObject(part) ? part : {};
}

/** The member of a record, made where there is none. */
export function member<Value>(of: Record<string, Value>, key: string, make: () => Value): Value {
  const known = Object.hasOwn(of, key) ? of[key] : undefined;
  if (known !== undefined) return known;
  const made = make();
  put(of, key, made);
  return made;
}

/** The own member of a record: what a prototype has is none. */
export function own<Value>(of: Record<string, Value>, key: string): Value | undefined {
  return Object.hasOwn(of, key) ? of[key] : undefined;
}

/** Keys come from models and servers: `__proto__` is a key like any other. */
export function put<Value>(into: Record<string, Value>, key: string, value: Value): void {
  if (key in Object.prototype) {
    const own = { value, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(into, key, own);
  } else into[key] = value;
}

function record<Value>(): Record<string, Value> {
  return {};
}
