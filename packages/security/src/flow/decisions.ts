import type { AgentSession, JsonObject } from "@tunic/core";
import type { FlowRemedy, FlowRule } from "../policy/flow-policy.js";
import type { FlowJudgement } from "../policy/judge-call.js";
import type { FlowDecision } from "./flow-decision.js";
import { flowMemoryIn, own, put } from "./flow-memory.js";
import { audit, type FlowRun } from "./flow-run.js";
import type { ReadCall } from "./read-call.js";

/** Writes down what became of a call, and why. */
export function decide(
  flow: FlowRun,
  callId: string,
  call: ReadCall,
  { violations, endorsements }: FlowJudgement,
  verdict: FlowDecision["verdict"],
  told = call.callLabel,
): void {
  const decision: FlowDecision = {
    callId,
    tool: call.tool.key,
    verdict,
    callLabel: { ...call.callLabel } as unknown as JsonObject,
    violations,
    remedies: remediesFor(violations.map(({ rule }) => rule)),
    ...(told !== call.callLabel && { told: { ...told } as unknown as JsonObject }),
    endorsed: endorsements.map(({ at, bits }) => ({ at, bits })),
    policy: flow.settings.policy.hash,
  };
  const { decisions } = flow.memory;
  // Taken out first: the newest stands last.
  if (own(decisions, callId) !== undefined) delete decisions[callId];
  put(decisions, callId, decision);
  audit(flow, "verdict", decision as unknown as JsonObject);
}

/** What helps against the breach of a rule. */
export function remediesFor(rules: readonly FlowRule[]): readonly FlowRemedy[] {
  const remedies = new Set<FlowRemedy>();
  for (const rule of rules) for (const remedy of remedyTable[rule]) remedies.add(remedy);
  return [...remedies];
}

const remedyTable: Readonly<Record<FlowRule, readonly FlowRemedy[]>> = {
  trusted_call: ["ask"],
  trusted_argument: ["extract", "endorse", "ask"],
  permitted_flow: ["ask"],
  argument_level: ["ask"],
  untrusted_link: ["ask"],
  confidential_context: ["ask"],
  unknown_tool: ["ask"],
  unknown_reference: ["pass_reference"],
};

/**
 * Why a call was let through, denied or asked about. Undefined for a call that this conversation has
 * not judged, or so long ago that it is forgotten (it keeps the last thousand).
 */
export function explain(session: AgentSession, callId: string): FlowDecision | undefined {
  const { decisions, children } = flowMemoryIn(session);
  // What an agent decided that a call of this one has run stands under both ids.
  const closed = Object.keys(decisions).findLast((id) => id.endsWith(`/${callId}`));
  return (
    own(decisions, callId) ??
    (closed === undefined ? undefined : own(decisions, closed)) ??
    explainInside(children, callId)
  );
}

function explainInside(
  children: ReturnType<typeof flowMemoryIn>["children"],
  callId: string,
): FlowDecision | undefined {
  for (const child of Object.values(children)) {
    const found = own(child.decisions, callId) ?? explainInside(child.children, callId);
    if (found !== undefined) return found;
  }
  return undefined;
}
