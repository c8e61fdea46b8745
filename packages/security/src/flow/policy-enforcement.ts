import type {
  AgentContext,
  AgentResponse,
  JsonObject,
  Message,
  Middleware,
  Next,
  Verdict,
  VerdictContext,
} from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import type { CallLeaf } from "../policy/call-leaves.js";
import {
  denialOf,
  describeCall,
  lastDenialOf,
  patience,
  violationText,
} from "../policy/describe-violation.js";
import type { FlowRule } from "../policy/flow-policy.js";
import type { FlowJudgement } from "../policy/judge-call.js";
import { originalOf } from "../tools/wrap-tool.js";
import { referencesIn } from "../tree/reference.js";
import { writtenLabel } from "./content-labels.js";
import { decide } from "./decisions.js";
import { checkHalves, loneHalf } from "./flow-halves.js";
import { put } from "./flow-memory.js";
import { type FlowOptions, type FlowSettings, flowSettings } from "./flow-options.js";
import { audit, beginFlow, type FlowRun, flowOf } from "./flow-run.js";
import { judge, readJudged } from "./judge-in-run.js";
import { callLabel, knownLabel, messageLabel, takeInput } from "./message-labels.js";
import { outcomeLabel } from "./outcome-label.js";
import { isPermitted, permitFor } from "./permit.js";
import type { ReadCall } from "./read-call.js";
import { noteWrites } from "./resources.js";

/**
 * Judges every call by the labels of its arguments and of the request that produced it. The order in
 * which calls of a batch finish never changes a verdict. Made with the same options object as
 * `labelTracking`; {@link secureAgent} makes both. Takes the outermost seats among agent and verdict handlers. The
 * policies of FIDES (arXiv 2505.23643, section 4).
 *
 * @throws ConfigurationError for options or a policy that do not fit, saying what to write.
 */
export function policyEnforcement(options: FlowOptions): Middleware {
  return enforcementBy(flowSettings(options, "policyEnforcement"), false);
}

/** @internal */
export function enforcementBy(settings: FlowSettings, needsSession: boolean): Middleware {
  return {
    name: "policy-enforcement",
    // Nobody stands further out, who could let through what is denied here.
    placement: { agent: "outermost", verdict: "outermost" },
    agent: (context, next) => enforceRun(settings, needsSession, context, next),
    verdict: (context, next) => enforceCall(settings, context, next),
  };
}

async function enforceRun(
  settings: FlowSettings,
  needsSession: boolean,
  context: AgentContext,
  next: Next<AgentResponse>,
): Promise<AgentResponse> {
  const flow = beginFlow(context.run, settings, needsSession);
  flow.halves.add("enforcement");
  takeInput(flow, context.messages);
  const response = await next();
  checkHalves(flow.halves);
  noteOwnWords(flow, response.messages);
  notePaused(flow, response);
  return response;
}

/** What handlers have said in the model's place knows what the run knows; it is written down beside the log. */
function noteOwnWords(flow: FlowRun, messages: readonly Message[]): void {
  const { lattice } = flow.settings;
  for (const message of messages) {
    if (message.role !== "assistant" || lattice.authentic(writtenLabel(message))) continue;
    put(flow.memory.messages, message.id, knownLabel(flow));
  }
}

/** A run that works for a call has no session: when it pauses, its messages wait at the call, without their marks. */
function notePaused(flow: FlowRun, { outcome, messages }: AgentResponse): void {
  if (outcome !== "paused" || flow.run.session !== undefined) return;
  for (const message of messages) {
    if (message.role === "assistant" || message.role === "tool") {
      put(flow.memory.messages, message.id, messageLabel(flow, message));
    }
  }
}

async function enforceCall(
  settings: FlowSettings,
  context: VerdictContext,
  next: Next<Verdict>,
): Promise<Verdict> {
  const flow = flowOf(context.run);
  if (flow?.settings !== settings) throw loneHalf("enforcement");
  checkHalves(flow.halves);
  const decided = callLabel(flow, context.call.callId) ?? knownLabel(flow);
  const call = readJudged(flow, context, decided);
  const inner = await next();
  const judged = judge(flow, context, call);
  flow.calls.set(context.call.callId, {
    tool: context.tool,
    rules: call.tool,
    callLabel: decided,
    argumentsLabel: call.argumentsLabel,
    effective: call.effective,
    nextVariable: flow.memory.next,
    untrustedArguments: (call.leaves ?? []).flatMap(untrustedValue),
  });
  if (inner.kind === "deny") return inner;
  const verdict = weigh(flow, context, call, judged, inner);
  if (verdict.kind === "run") letRun(flow, context, call, judged);
  return verdict;
}

function untrustedValue({ value, origin, label }: CallLeaf): readonly (string | number)[] {
  if (origin === undefined || label.integrity === "trusted" || value === "") return [];
  return typeof value === "string" || typeof value === "number" ? [value] : [];
}

function weigh(
  flow: FlowRun,
  context: VerdictContext,
  call: ReadCall,
  judged: FlowJudgement,
  inner: Exclude<Verdict, { kind: "deny" }>,
): Verdict {
  const { callId } = context.call;
  const [first] = judged.violations;
  if (first === undefined) {
    decide(flow, callId, call, judged, "run");
    return inner.kind === "ask" ? shown(inner, context, call) : inner;
  }
  const { mode } = flow.settings;
  if (mode === "shadow") {
    decide(flow, callId, call, judged, "shadow");
    return inner.kind === "ask" ? shown(inner, context, call) : inner;
  }
  // Nobody can judge a reference that stands for nothing.
  if (mode !== "approve" || call.leaves === undefined) {
    const told = outcomeLabel(flow, callId, call, weighed(flow, call, judged));
    flow.results.set(callId, told);
    decide(flow, callId, call, judged, "deny", told);
    return { kind: "deny", message: denial(flow, call.tool.key, first.rule) };
  }
  if (isPermitted(flow, context, call, judged)) {
    decide(flow, callId, call, judged, "approved");
    return inner.kind === "ask" ? shown(inner, context, call) : inner;
  }
  put(flow.memory.permits, callId, permitFor(context.tool, callId, call, judged.violations));
  decide(flow, callId, call, judged, "ask");
  return {
    ...shown({ kind: "ask" }, context, call),
    reason: judged.violations.map((each) => violationText(call.tool.key, each)).join(" "),
    violation: brokenRules(judged, context),
    additionalProperties: {
      flow: { tool: call.tool.key, violations: judged.violations as never },
    },
  };
}

/** What a denial depended on, beside labels: that it was denied tells of it. */
function weighed(
  { settings: { lattice, policy } }: FlowRun,
  { tool, leaves = [], argumentsLabel }: ReadCall,
  { violations }: FlowJudgement,
): ContentLabel {
  const selects = policy.endorse.some(({ type }) => type === "selection");
  // With `either`, whatever else is wrong would not have counted but for the values.
  const rules = (tool.rule === "either" ? violations : violations.slice(0, 1)).map(
    ({ rule }) => rule,
  );
  const byValue =
    rules.includes("untrusted_link") ||
    rules.includes("unknown_reference") ||
    (rules.includes("trusted_argument") && selects);
  if (byValue) return argumentsLabel;
  if (!rules.includes("permitted_flow")) return lattice.bottom;
  return lattice.joinAll(leaves.flatMap((leaf) => (leaf.recipient ? [leaf.label] : [])));
}

/** A model that tries the same for ever is told to stop; how often it may try says nothing of the data. */
function denial({ denials }: FlowRun, tool: string, rule: FlowRule): string {
  const message = denialOf(tool, rule);
  const times = (denials.get(message) ?? 0) + 1;
  denials.set(message, times);
  return times < patience ? message : lastDenialOf(tool, rule);
}

/** What a call breaks; said otherwise than before, where a person has permitted something else. */
function brokenRules({ violations }: FlowJudgement, { decision }: VerdictContext): string {
  const rules = [...new Set(violations.map(({ rule }) => rule))].join(", ");
  return rules === decision?.violation ? `${rules}; changed since it was permitted` : rules;
}

/** A question about hidden values shows them: nobody can decide on a number. */
function shown(
  verdict: Extract<Verdict, { kind: "ask" }>,
  context: VerdictContext,
  call: ReadCall,
): Extract<Verdict, { kind: "ask" }> {
  const { leaves = [], effective } = call;
  if (leaves.every(({ origin, label }) => origin === undefined && label.integrity === "trusted"))
    return verdict;
  return {
    ...verdict,
    summary: verdict.summary ?? describeCall(originalOf(context.tool), leaves),
    effective: verdict.effective ?? effective,
  };
}

function letRun(
  flow: FlowRun,
  context: VerdictContext,
  call: ReadCall,
  { endorsements }: FlowJudgement,
): void {
  const { lattice } = flow.settings;
  const { callId } = context.call;
  // Where they stand, not what is in them: its names are contents.
  const references = referencesIn(context.written).map(({ at, id }) => ({ at, variable: id }));
  if (references.length > 0) audit(flow, "expand", { callId, tool: call.tool.key, references });
  for (const { at, bits, rule } of endorsements) {
    flow.ledger.bits += bits;
    audit(flow, "endorse", {
      callId,
      tool: call.tool.key,
      at,
      bits,
      rule: rule as unknown as JsonObject,
    });
  }
  // Of an edited call, too, the rest was decided on in the context that the model was in.
  const decided = flow.calls.get(callId)?.callLabel ?? call.callLabel;
  noteWrites(flow, call.tool, call.effective, lattice.join(decided, call.argumentsLabel));
}
