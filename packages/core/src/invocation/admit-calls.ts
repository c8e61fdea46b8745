import type { Budget } from "../run/budget.js";
import type { FunctionTool, ToolResult } from "../tools/tool.js";
import { errorResult } from "../tools/tool-result.js";
import type { JudgedCall } from "./judged-call.js";

/** How often each tool with limits of its own ran and failed in one run. */
export class ToolCounts {
  readonly #counts = new Map<FunctionTool, { started: number; failed: number }>();

  failed(tool: FunctionTool): void {
    if (tool.maxInvocationExceptions !== undefined) this.#of(tool).failed++;
  }

  /** Takes the right to run one call of a tool, or names the limit that forbids it. */
  take(tool: FunctionTool): string | undefined {
    const { maxInvocations, maxInvocationExceptions } = tool;
    if (maxInvocations === undefined && maxInvocationExceptions === undefined) return undefined;
    const count = this.#of(tool);
    if (count.started >= (maxInvocations ?? Infinity)) return "maxInvocations";
    if (count.failed >= (maxInvocationExceptions ?? Infinity)) return "maxInvocationExceptions";
    count.started++;
    return undefined;
  }

  #of(tool: FunctionTool): { started: number; failed: number } {
    const count = this.#counts.get(tool) ?? { started: 0, failed: 0 };
    this.#counts.set(tool, count);
    return count;
  }
}

/** Gives out what the budgets leave, in call order; a call that gets nothing is answered. */
export function admit(each: JudgedCall, budget: Budget, counts: ToolCounts): JudgedCall {
  if (each.kind !== "run") return each;
  // A call that goes on has been counted when it began.
  if (each.ruling?.kind === "resumed") return each;
  const limit = budget.callsLeft < 1 ? "maxFunctionCalls" : counts.take(each.tool);
  if (limit !== undefined) return { kind: "answered", result: notRun(limit) };
  budget.takeCall();
  return each;
}

/** The answer to a call for which a limit leaves nothing. */
export function notRun(limit: string): ToolResult {
  return errorResult({ code: "limit_reached", message: `not run: limit reached (${limit}).` });
}
