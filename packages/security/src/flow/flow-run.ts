import {
  ConfigurationError,
  createStateKey,
  type FunctionTool,
  type JsonObject,
  type Message,
  type RunContext,
} from "@tunic/core";
import type { FlowAuditKind } from "../audit/flow-audit.js";
import type { ContentLabel } from "../labels/content-label.js";
import type { CompiledTool } from "../policy/compile-policy.js";
import type { NamedValues } from "../policy/named-values.js";
import { type ContentVariableStore, variableStore } from "../variables/variable-store.js";
import type { FlowHalf } from "./flow-halves.js";
import { type FlowMemory, flowLedgerOf, flowMemoryOf, newFlowMemory } from "./flow-memory.js";
import type { FlowSettings } from "./flow-options.js";

/** A call that was judged. */
export interface CallRecord {
  readonly tool: FunctionTool;
  /** What the policy says of the tool. */
  readonly rules: CompiledTool;
  /** Of the request that produced it. */
  readonly callLabel: ContentLabel;
  /** The join of all its arguments. */
  readonly argumentsLabel: ContentLabel;
  /** The arguments, references expanded. */
  readonly effective: JsonObject;
  /** The number of the first variable that was not there when it was judged. */
  readonly nextVariable: number;
  /** The untrusted texts and numbers among them that references stood for. */
  readonly untrustedArguments: readonly (string | number)[];
}

/** The messages of a request as the model gets them, and the join of their labels. */
export interface RequestView {
  /**
   * As the handlers further out gave them. An array of our own: theirs may be longer at the next request, and
   * still be the same.
   */
  readonly given: Message[];
  /** What becomes of each: the same where none has shown a hidden value. */
  readonly sent: Message[];
  label: ContentLabel;
}

/** What information flow control knows of one run. Everything that outlives it is in `memory`. */
export interface FlowRun {
  readonly settings: FlowSettings;
  readonly run: RunContext;
  readonly memory: FlowMemory;
  /** Where endorsed bits are counted. */
  readonly ledger: Pick<FlowMemory, "bits">;
  readonly variables: ContentVariableStore;
  /** What the run inherits: of the call that it works for, or nothing. */
  readonly floor: ContentLabel;
  /** Which halves stand around this run. */
  readonly halves: Set<FlowHalf>;
  /** Messages of the session as it was before the run, by id. */
  readonly stored: ReadonlyMap<string, Message>;
  /** Messages of this run's input, by id. */
  readonly input: Map<string, Message>;
  /** Calls that were judged in this run, by id. */
  readonly calls: Map<string, CallRecord>;
  /** Labels of results that were made in this run, by call id. */
  readonly results: Map<string, ContentLabel>;
  /** Labels of results that came in with an input, in this run or before, by call id. */
  readonly foreignResults: Map<string, ContentLabel>;
  /** Labels of messages, by message. */
  readonly labels: WeakMap<Message, ContentLabel>;
  /** Labels of calls that a request has shown, by call id. */
  readonly callLabels: Map<string, ContentLabel>;
  /** What runs inside calls of this run have come to know, by call id. */
  readonly childLabels: Map<string, ContentLabel>;
  /** What the tools of this package have made, by call id. */
  readonly ownResults: Map<string, ContentLabel>;
  /** The last view that was labelled; it grows at its end. */
  view: RequestView;
  /** Of the last answer. */
  answer: ContentLabel;
  /** Of the hidden values that answers have shown. */
  shown: ContentLabel;
  /** What the user has written. */
  named: NamedValues | undefined;
  /** How often a denial was given, by its words. */
  readonly denials: Map<string, number>;
  /** Tools of which was told that their results have another form than the policy says. */
  readonly shapes: Set<string>;
}

const runKey = createStateKey<{ flow: FlowRun | undefined }>("tunic.flow", () => ({
  flow: undefined,
}));

/** The flow of a run that was begun; undefined where no middleware has. */
export function flowOf(run: RunContext): FlowRun | undefined {
  return run.state.get(runKey).flow;
}

/**
 * The flow of a run, begun by whichever half comes first.
 *
 * @throws ConfigurationError `flow_halves` when another half has other options; `flow_session`
 * without a session, where hidden values would be lost with the run.
 */
export function beginFlow(run: RunContext, settings: FlowSettings, needsSession: boolean): FlowRun {
  const place = run.state.get(runKey);
  if (place.flow === undefined) {
    place.flow = newFlow(run, settings, needsSession);
    audit(place.flow, "policy", { hash: settings.policy.hash, mode: settings.mode });
    return place.flow;
  }
  if (place.flow.settings === settings) return place.flow;
  throw new ConfigurationError(
    "flow_halves",
    "labelTracking and policyEnforcement of one agent need the very same options object; secureAgent gives it to both.",
  );
}

function newFlow(run: RunContext, settings: FlowSettings, needsSession: boolean): FlowRun {
  const memory = flowMemoryOf(run);
  if (memory === undefined && needsSession) {
    throw new ConfigurationError(
      "flow_session",
      "A secured agent needs a session, which holds what is hidden from the model: agent.run(input, { session: new AgentSession() }).",
    );
  }
  const held = memory ?? newFlowMemory();
  tidy(held, run);
  const { bottom } = settings.lattice;
  const floor = floorOf(run, settings);
  return {
    settings,
    run,
    memory: held,
    ledger: flowLedgerOf(run) ?? held,
    variables: variableStore(held, settings.limits),
    floor,
    halves: new Set(),
    stored: new Map((run.session?.messages ?? []).map((message) => [message.id, message])),
    input: new Map(),
    calls: new Map(),
    results: new Map(),
    foreignResults: new Map(),
    labels: new WeakMap(),
    callLabels: new Map(),
    childLabels: new Map(),
    ownResults: new Map(),
    view: { given: [], sent: [], label: bottom },
    answer: floor,
    shown: bottom,
    named: undefined,
    denials: new Map(),
    shapes: new Set(),
  };
}

/** How many decisions a conversation keeps; the oldest go first. */
const mostDecisions = 1000;

/** Lets go of what nobody asks for any more. */
function tidy({ decisions, permits }: FlowMemory, { session }: RunContext): void {
  const ids = Object.keys(decisions);
  for (const id of ids.slice(0, Math.max(0, ids.length - mostDecisions))) delete decisions[id];
  if (session === undefined || Object.keys(permits).length === 0) return;
  // A batch may be answered in parts, and a call may pause: only what has its result needs no permit.
  for (const { contents } of session.messages) {
    for (const content of contents) {
      if (content.type === "function_result") delete permits[content.callId];
    }
  }
}

/** A run that works for a call of another one begins with what that call knows. */
function floorOf({ parent, parentCallId }: RunContext, { lattice }: FlowSettings): ContentLabel {
  if (parent === undefined || parentCallId === undefined) return lattice.bottom;
  const record = flowOf(parent)?.calls.get(parentCallId);
  // Whoever called does not follow labels: its model may have read anything.
  if (record === undefined) return lattice.top;
  return lattice.join(record.callLabel, record.argumentsLabel);
}

/** Writes into the audit log. An audit that fails hurts nobody, and is told. */
export function audit(flow: FlowRun, kind: FlowAuditKind, details: JsonObject): void {
  const { audit: log } = flow.settings;
  if (log === undefined) return;
  const { run } = flow;
  try {
    log.append({ at: run.now(), session: run.session?.id, run: run.id, kind, details });
  } catch (error) {
    run.notice("flow_audit_failed", "The audit of information flow could not be written.", error);
  }
}
