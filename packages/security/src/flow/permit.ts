import type { FunctionTool, JsonValue, VerdictContext } from "@tunic/core";
import { digest } from "../audit/digest.js";
import type { FlowViolation } from "../policy/flow-policy.js";
import type { FlowJudgement } from "../policy/judge-call.js";
import { toolHash } from "../policy/tool-identity.js";
import { originalOf } from "../tools/wrap-tool.js";
import { own, put } from "./flow-memory.js";
import { audit, type FlowRun } from "./flow-run.js";
import { judge, originalCall } from "./judge-in-run.js";
import { callLabel, knownLabel } from "./message-labels.js";
import type { ReadCall } from "./read-call.js";

/** A permit that was used: for as long as its call runs, over all its pauses. */
function given(permit: string): string {
  return `given ${permit}`;
}

/**
 * What a person's yes is for, as a hash: this occurrence, this definition of the tool, these arguments with
 * what their references stand for, these labels, and these rules. Whatever of it changes needs another yes.
 */
export function permitFor(
  tool: FunctionTool,
  callId: string,
  { effective, leaves = [], callLabel }: ReadCall,
  violations: readonly FlowViolation[],
): string {
  return digest({
    callId,
    tool: toolHash(originalOf(tool)),
    effective,
    labels: leaves.map(({ path, label }) => [path, { ...label }]) as unknown as JsonValue,
    callLabel: { ...callLabel } as unknown as JsonValue,
    violations: violations.map(({ rule, argument = null }) => [rule, argument]),
  });
}

/** Whether a person has permitted exactly this: the call, what its references stand for, its labels, and what it breaks. */
export function isPermitted(
  flow: FlowRun,
  context: VerdictContext,
  call: ReadCall,
  { violations }: FlowJudgement,
): boolean {
  const { decision } = context;
  const { callId } = context.call;
  const asked = own(flow.memory.permits, callId);
  const permit = permitFor(context.tool, callId, call, violations);
  // A call that has paused goes on as it was permitted.
  if (asked === given(permit)) return true;
  if (decision === undefined) return false;
  if (asked !== permit && !(decision.edited && isWithin(flow, context, call, asked))) return false;
  put(flow.memory.permits, callId, given(permit));
  audit(flow, "approval", { callId, tool: call.tool.key, requestId: decision.requestId, permit });
  return true;
}

/**
 * Whether a person, with the changes that they have made, has permitted the call: the yes was for the call as
 * the model made it, and what it still breaks it has broken before, with the same value.
 */
function isWithin(
  flow: FlowRun,
  context: VerdictContext,
  edited: ReadCall,
  asked: string | undefined,
): boolean {
  const { callId } = context.call;
  const label = callLabel(flow, callId) ?? knownLabel(flow);
  const original = originalCall(flow, context, label);
  const before = judge(flow, context, original).violations;
  if (asked !== permitFor(context.tool, callId, original, before)) return false;
  const valueAt = ({ leaves = [] }: ReadCall, path: string | undefined) =>
    leaves.find((leaf) => leaf.path === path)?.value;
  return judge(flow, context, edited).violations.every(({ rule, argument }) =>
    before.some(
      (each) =>
        each.rule === rule &&
        each.argument === argument &&
        valueAt(edited, argument) === valueAt(original, argument),
    ),
  );
}
