import { type Verdict, VerdictContext, type VerdictParts } from "../approvals/verdict.js";
import { nearestName } from "../errors/configuration-error.js";
import { UnknownToolError } from "../errors/run-errors.js";
import type { FunctionCallContent } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import type { Core } from "../onion/onion.js";
import type { Budget } from "../run/budget.js";
import type { RunContext } from "../run/run-context.js";
import type { FunctionTool, Tool, ToolResult } from "../tools/tool.js";
import { toolsByName } from "../tools/tool-list.js";
import { argumentErrorResult, errorResult } from "../tools/tool-result.js";
import { type CheckedArguments, checkArguments } from "../tools/validate-arguments.js";

/** A call that may run, with what its function will receive. */
export interface RunnableCall {
  readonly kind: "run";
  /** The call's place in its batch. */
  readonly index: number;
  readonly call: FunctionCallContent;
  readonly tool: FunctionTool;
  readonly arguments: JsonObject;
  readonly input: unknown;
}

/** What becomes of a call: it runs, it has its answer already, or it goes back to the caller. */
export type JudgedCall =
  | RunnableCall
  | { readonly kind: "answered"; readonly result: ToolResult }
  | { readonly kind: "open" }
  | { readonly kind: "ask"; readonly index: number; readonly verdict: AskVerdict };

type AskVerdict = Extract<Verdict, { kind: "ask" }>;

/** What a batch is judged by. */
export interface BatchTerms {
  /** The tools that the request held which produced the batch, as finally sent. */
  readonly tools: readonly Tool[];
  /** Whether the token limit cut the response. */
  readonly cut: boolean;
  readonly terminateOnUnknownCalls: boolean;
  readonly run: RunContext;
  /** The composed verdicts; absent without verdict handlers. */
  readonly verdict: Core<VerdictContext, Verdict> | undefined;
  /** Told who has ended the run with a verdict. */
  readonly ended: (by: string) => void;
  /** Whether the tool choice was `none`: a call that comes all the same does not run. */
  readonly forbidden: boolean;
}

/**
 * Judges every call of a batch before any of it runs, in call order. No verdict depends on where a
 * call stands in the batch. Compiled validators answer at once: the usual batch needs no promise.
 *
 * @throws UnknownToolError where the terms say so.
 */
export function judgeBatch(
  calls: readonly FunctionCallContent[],
  terms: BatchTerms,
): readonly JudgedCall[] | Promise<readonly JudgedCall[]> {
  const tools = toolsByName(terms.tools);
  const unknown = new UnknownTools(tools);
  const judged: (JudgedCall | Promise<JudgedCall>)[] = [];
  let waits = false;
  for (let index = 0; index < calls.length; index++) {
    const call = calls[index] as FunctionCallContent;
    const cut = terms.cut && index === calls.length - 1;
    const verdict = judgeCall(call, index, tools, terms, cut, unknown);
    waits ||= verdict instanceof Promise;
    judged.push(verdict);
  }
  if (terms.verdict === undefined) return waits ? Promise.all(judged) : (judged as JudgedCall[]);
  const { verdict, run, ended } = terms;
  const parts = { batch: calls, run, ended };
  return Promise.all(judged).then((valid) => judgeValid(valid, parts, verdict));
}

/**
 * Judges arguments that a function handler has put in place of the call's: the batch is running, so
 * that anything but "run" refuses the call.
 *
 * @returns what the model is told, or undefined where the call may run.
 */
export async function judgeChanged(
  judge: Core<VerdictContext, Verdict>,
  context: VerdictContext,
): Promise<ToolResult | undefined> {
  const verdict = await judge(context);
  if (verdict.kind === "run") return undefined;
  if (verdict.kind === "deny") return denied(verdict.message);
  const why = verdict.reason ?? verdict.violation;
  return denied(
    `not run: with the arguments as they were changed, a person would have to be asked${why === undefined ? "" : ` (${why})`}.`,
  );
}

/** The handlers judge each valid call; the order of the calls changes nothing. */
function judgeValid(
  judged: readonly JudgedCall[],
  parts: Pick<VerdictParts, "batch" | "run" | "ended">,
  judge: Core<VerdictContext, Verdict>,
): Promise<readonly JudgedCall[]> {
  return Promise.all(
    judged.map(async (each): Promise<JudgedCall> => {
      if (each.kind !== "run") return each;
      const { tool, call, index } = each;
      const context = new VerdictContext({ ...parts, tool, call, arguments: each.arguments });
      const verdict = await judge(context);
      if (verdict.kind === "run") return each;
      if (verdict.kind === "ask") return { kind: "ask", index, verdict };
      return { kind: "answered", result: denied(verdict.message) };
    }),
  );
}

/** What the model is told of a call that is not allowed. */
function denied(message: string): ToolResult {
  return errorResult({ code: "approval_denied", message });
}

function judgeCall(
  call: FunctionCallContent,
  index: number,
  tools: ReadonlyMap<string, Tool>,
  terms: BatchTerms,
  cut: boolean,
  unknown: UnknownTools,
): JudgedCall | Promise<JudgedCall> {
  if (terms.forbidden) return { kind: "answered", result: notRunByChoice() };
  const tool = tools.get(call.name);
  if (tool === undefined || tool.type === "hosted") {
    if (terms.terminateOnUnknownCalls) throw new UnknownToolError(call.name);
    return { kind: "answered", result: unknown.answerTo(call.name) };
  }
  if (call.arguments === undefined) return invalid(call.parseError ?? "There are none.");
  // Nothing at all came before the cut: `{}` here means "not said", not "no arguments".
  if (cut && Object.keys(call.arguments).length === 0) {
    return invalid("The token limit cut the answer off before the arguments were complete.");
  }
  const checked = checkArguments(tool, call.arguments);
  if (checked instanceof Promise)
    return checked.then((result) => verdictOn(call, index, tool, result));
  return verdictOn(call, index, tool, checked);
}

function verdictOn(
  call: FunctionCallContent,
  index: number,
  tool: FunctionTool,
  checked: CheckedArguments,
): JudgedCall {
  if (!checked.ok) return invalid(checked.message);
  if (tool.execute === undefined) return { kind: "open" };
  return { kind: "run", index, call, tool, arguments: checked.arguments, input: checked.input };
}

function notRunByChoice(): ToolResult {
  return errorResult({ code: "not_run", message: "not run: no tool may be called now." });
}

function invalid(details: string): JudgedCall {
  return { kind: "answered", result: argumentErrorResult(details) };
}

/** More near names than that are not looked for: a model may call ten thousand tools that do not exist. */
const mostHints = 64;

/** The answers to calls of tools that do not exist; one for each name. */
class UnknownTools {
  readonly #tools: ReadonlyMap<string, Tool>;
  #answers: Map<string, ToolResult> | undefined;

  constructor(tools: ReadonlyMap<string, Tool>) {
    this.#tools = tools;
  }

  answerTo(name: string): ToolResult {
    this.#answers ??= new Map();
    const known = this.#answers.get(name);
    if (known) return known;
    const names = [...this.#tools.keys()];
    const hint = this.#answers.size < mostHints ? nearestName(name, names) : undefined;
    const answer = unknownTool(name, names, hint);
    this.#answers.set(name, answer);
    return answer;
  }
}

function unknownTool(
  name: string,
  names: readonly string[],
  nearest: string | undefined,
): ToolResult {
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  const listed = names.slice(0, 20).join(", ") + (names.length > 20 ? ", …" : "");
  return errorResult({
    code: "unknown_tool",
    message: `Requested function "${name}" not found.${hint} The tools are: ${listed || "none"}.`,
  });
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
export function admit(each: JudgedCall, budget: Budget, counts: ToolCounts): JudgedCall {
  if (each.kind !== "run") return each;
  const limit = budget.callsLeft < 1 ? "maxFunctionCalls" : counts.take(each.tool);
  if (limit !== undefined) return { kind: "answered", result: notRun(limit) };
  budget.takeCall();
  return each;
}

/** The answer to a call for which a limit leaves nothing. */
export function notRun(limit: string): ToolResult {
  return errorResult({ code: "limit_reached", message: `not run: limit reached (${limit}).` });
}
