import { nearestName } from "../errors/configuration-error.js";
import { UnknownToolError } from "../errors/run-errors.js";
import type { FunctionCallContent } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import type { Budget } from "../run/budget.js";
import type { FunctionTool, Tool, ToolResult } from "../tools/tool.js";
import { errorResult } from "../tools/tool-result.js";
import { checkArguments } from "../tools/validate-arguments.js";

/** A call that may run, with what its function will receive. */
export interface RunnableCall {
  readonly kind: "run";
  readonly call: FunctionCallContent;
  readonly tool: FunctionTool;
  readonly arguments: JsonObject;
  readonly input: unknown;
}

/** What becomes of a call: it runs, it has its answer already, or it goes back to the caller. */
export type JudgedCall =
  | RunnableCall
  | { readonly kind: "answered"; readonly call: FunctionCallContent; readonly result: ToolResult }
  | { readonly kind: "open"; readonly call: FunctionCallContent };

/** What a batch is judged by. */
export interface BatchTerms {
  /** The tools that the request held which produced the batch, as finally sent. */
  readonly tools: readonly Tool[];
  /** Whether the token limit cut the response. */
  readonly cut: boolean;
  readonly terminateOnUnknownCalls: boolean;
}

/**
 * Judges every call of a batch before any of it runs. No verdict depends on where a call stands in
 * the batch.
 *
 * @throws UnknownToolError where the terms say so.
 */
export async function judgeBatch(
  calls: readonly FunctionCallContent[],
  terms: BatchTerms,
): Promise<readonly JudgedCall[]> {
  const judged: (JudgedCall | Promise<JudgedCall>)[] = [];
  const last = calls.length - 1;
  let waits = false;
  for (const [index, call] of calls.entries()) {
    const verdict = judgeCall(call, terms, terms.cut && index === last);
    waits ||= verdict instanceof Promise;
    judged.push(verdict);
  }
  // Compiled validators answer at once: the usual batch is judged without a single promise.
  return waits ? Promise.all(judged) : (judged as JudgedCall[]);
}

function judgeCall(
  call: FunctionCallContent,
  terms: BatchTerms,
  cut: boolean,
): JudgedCall | Promise<JudgedCall> {
  const tool = toolsByName(terms.tools).get(call.name);
  if (tool === undefined || tool.type === "hosted") {
    if (terms.terminateOnUnknownCalls) throw new UnknownToolError(call.name);
    return { kind: "answered", call, result: unknownTool(call.name, terms.tools) };
  }
  if (call.arguments === undefined) return invalid(call, call.parseError ?? "There are none.");
  // Nothing at all came before the cut: `{}` here means "not said", not "no arguments".
  if (cut && Object.keys(call.arguments).length === 0) {
    return invalid(call, "The token limit cut the answer off before the arguments were complete.");
  }
  const checked = checkArguments(tool, call.arguments);
  if (checked instanceof Promise) return checked.then((result) => verdictOn(call, tool, result));
  return verdictOn(call, tool, checked);
}

function verdictOn(
  call: FunctionCallContent,
  tool: FunctionTool,
  checked: Awaited<ReturnType<typeof checkArguments>>,
): JudgedCall {
  if (!checked.ok) return invalid(call, checked.message);
  if (tool.execute === undefined) return { kind: "open", call };
  return { kind: "run", call, tool, arguments: checked.arguments, input: checked.input };
}

function invalid(call: FunctionCallContent, reason: string): JudgedCall {
  const message = `Error: Argument parsing failed. ${reason}`;
  return {
    kind: "answered",
    call,
    result: errorResult({ code: "invalid_arguments", message, retryable: false }),
  };
}

function unknownTool(name: string, tools: readonly Tool[]): ToolResult {
  const names = [...toolsByName(tools).keys()];
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  const listed = names.slice(0, 20).join(", ") + (names.length > 20 ? ", …" : "");
  return errorResult({
    code: "unknown_tool",
    message: `Error: Requested function "${name}" not found.${hint} The tools are: ${listed || "none"}.`,
    retryable: false,
  });
}

const indexes = new WeakMap<readonly Tool[], ReadonlyMap<string, Tool>>();

/** The tools of a list by name; one index for each list, however many runs use it. */
function toolsByName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  let index = indexes.get(tools);
  if (index === undefined) {
    index = new Map(tools.map((tool) => [tool.name, tool]));
    indexes.set(tools, index);
  }
  return index;
}

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
export function admit(
  judged: readonly JudgedCall[],
  budget: Budget,
  counts: ToolCounts,
): readonly JudgedCall[] {
  return judged.map((each) => {
    if (each.kind !== "run") return each;
    const limit =
      budget.callsLeft < 1 ? "maxFunctionCalls" : counts.take(each.tool);
    if (limit !== undefined) return { kind: "answered", call: each.call, result: notRun(limit) };
    budget.takeCall();
    return each;
  });
}

/** The answer to a call for which a limit leaves nothing. */
export function notRun(limit: string): ToolResult {
  return errorResult({
    code: "limit_reached",
    message: `Error: not run: limit reached (${limit}).`,
    retryable: false,
  });
}
