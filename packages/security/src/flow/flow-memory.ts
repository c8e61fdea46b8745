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

/** The memory in a session; begun where there is none. Never throws, whatever was stored. */
export function flowMemoryIn(session: AgentSession): FlowMemory {
  const stored: unknown = Object.hasOwn(session.state, stateKey)
    ? session.state[stateKey]
    : undefined;
  if (loaded.has(stored as object)) return stored as FlowMemory;
  const memory = stored === undefined ? newFlowMemory() : storedMemory(stored, session);
  session.state[stateKey] = memory as unknown as JsonObject;
  loaded.add(memory);
  return memory;
}

/** The memories of this process; whatever else stands in a session was stored, and is read first. */
const loaded = new WeakSet<object>();

const records = ["messages", "resources", "held", "definitions", "permits"] as const;

/**
 * A memory as it was stored. Where it cannot say any more which messages came from elsewhere, none of them
 * is believed.
 */
function storedMemory(stored: unknown, { messages }: AgentSession): FlowMemory {
  const copy = copyOf(stored);
  const memory = copy === undefined ? newFlowMemory() : readMemory(copy);
  if (copy !== undefined && copy["version"] === 1 && isJsonObject(copy["messages"])) return memory;
  for (const { id, role } of messages) {
    if (role === "assistant" || role === "tool") put(memory.messages, id, noLabel);
  }
  return memory;
}

/** What is read as the worst label wherever a label is read. */
const noLabel = {} as ContentLabel;

/** Stores bring plain JSON; whatever else is there is nothing. */
function copyOf(stored: unknown): JsonObject | undefined {
  try {
    return isJsonObject(stored) ? copyJson(stored) : undefined;
  } catch {
    return undefined;
  }
}

/** Member by member, so that nothing in a stored memory can reach a prototype. */
function readMemory(source: JsonObject): FlowMemory {
  const memory = newFlowMemory();
  for (const name of records) {
    for (const [key, value] of Object.entries(partOf(source, name)))
      put(memory[name] as Record<string, unknown>, key, value);
  }
  for (const [id, stored] of Object.entries(readVariables(partOf(source, "variables"))))
    put(memory.variables, id, stored);
  for (const [id, decision] of Object.entries(partOf(source, "decisions"))) {
    if (isJsonObject(decision)) put(memory.decisions, id, decision as unknown as FlowDecision);
  }
  // A number that was given is never given again.
  memory.next = Math.max(count(source["next"], 1), lastId(memory.variables) + 1);
  memory.bytes = count(source["bytes"], 0);
  // Where it is not known what was spent, all was.
  memory.bits = bitsIn(source["bits"]);
  const { lowered } = source;
  if (Array.isArray(lowered)) memory.lowered.push(...lowered.filter(isJsonObject));
  for (const [key, child] of Object.entries(partOf(source, "children"))) {
    if (isJsonObject(child)) put(memory.children, key, readMemory(child));
  }
  return memory;
}

/** Variables as they were stored; what is none is left out. Labels are read where they are used. */
export function readVariables(part: object): Record<string, StoredVariable> {
  const variables: Record<string, StoredVariable> = record();
  for (const [id, stored] of Object.entries(part) as readonly [string, unknown][]) {
    if (!isJsonObject(stored) || !Object.hasOwn(stored, "value")) continue;
    const { value = null, label, origin } = stored;
    put(variables, id, {
      value,
      label: label as unknown as ContentLabel,
      origin: readOrigin(origin),
    });
  }
  return variables;
}

function readOrigin(origin: unknown): ValueOrigin {
  const of = isJsonObject(origin) ? origin["of"] : undefined;
  // What a value was made of was not made of anything itself.
  return { ...originTexts(origin), ...(Array.isArray(of) && { of: of.map(originTexts) }) };
}

function originTexts(origin: unknown): ValueOrigin {
  return Object.fromEntries(
    Object.entries(isJsonObject(origin) ? origin : {}).filter(
      ([name, text]) => originMembers.has(name) && typeof text === "string",
    ),
  );
}

const originMembers: ReadonlySet<string> = new Set<keyof ValueOrigin>([
  "variable",
  "callId",
  "tool",
  "path",
]);

function count(value: unknown, otherwise: number): number {
  return Number.isSafeInteger(value) && Number(value) >= otherwise ? Number(value) : otherwise;
}

function bitsIn(value: unknown): number {
  return typeof value === "number" && value >= 0 ? value : Number.MAX_SAFE_INTEGER;
}

function lastId(variables: object): number {
  let last = 0;
  for (const id of Object.keys(variables)) {
    const number = Number(/^v([1-9]\d{0,14})$/.exec(id)?.[1] ?? 0);
    if (number > last) last = number;
  }
  return last;
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
export function own<Value>(of: Readonly<Record<string, Value>>, key: string): Value | undefined {
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
