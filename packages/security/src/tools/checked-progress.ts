import type { FunctionInvocationContext } from "@tunic/core";
import { mayRead } from "../answer/audience.js";
import { type FlowRun, flowOf } from "../flow/flow-run.js";

/**
 * The context of a tool's function, with a `reportProgress` that lets through what people who watch may
 * see: what a tool tells of its work is out before anybody has labelled or hidden anything of it.
 */
export function withCheckedProgress(context: FunctionInvocationContext): FunctionInvocationContext {
  const flow = flowOf(context.run);
  if (!context.streamed || flow === undefined || showsProgress(flow, context.call.callId)) {
    return context;
  }
  const withhold = leftOut(flow, context);
  return new Proxy(context, {
    get: (target, key) =>
      key === "reportProgress" ? withhold : (Reflect.get(target, key, target) as unknown),
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}

/** Whether everything that a call may tell of its work is trusted, and may be read by who reads the answers. */
export function showsProgress({ settings, calls }: FlowRun, callId: string): boolean {
  if (settings.mode === "shadow") return true;
  const record = calls.get(callId);
  if (record === undefined) return false;
  const { rules } = record;
  if (rules.showsProgress) return true;
  const label = settings.lattice.joinAll([record.argumentsLabel, ...rules.result.values]);
  return label.integrity === "trusted" && mayRead(settings, label);
}

function leftOut(
  { run }: FlowRun,
  { tool, reportProgress }: FunctionInvocationContext,
): FunctionInvocationContext["reportProgress"] {
  let told = false;
  return (progress) => {
    // What is no progress at all is a slip, and is said to be one.
    if (!isProgress(progress)) return reportProgress(progress);
    if (told) return;
    told = true;
    run.notice(
      "flow_progress_withheld",
      `What "${tool.name}" tells of its work is not shown: its results are not declared trusted. Say progress: "all" in the policy to show it.`,
    );
  };
}

function isProgress(progress: unknown): boolean {
  return typeof progress === "string" || (typeof progress === "object" && progress !== null);
}
