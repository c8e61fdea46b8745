import type { Ruling } from "../approvals/rulings.js";
import { UnknownToolError } from "../errors/run-errors.js";
import type { FunctionCallContent } from "../messages/content.js";
import type { FunctionTool, Tool, ToolResult } from "../tools/tool.js";
import { toolsByName } from "../tools/tool-list.js";
import { argumentErrorResult, errorResult } from "../tools/tool-result.js";
import { type CheckedArguments, checkArguments } from "../tools/validate-arguments.js";
import type { DeniedCalls } from "./denied-calls.js";
import type { BatchTerms, HeldTerms, JudgedCall } from "./judged-call.js";
import { UnknownTools } from "./unknown-tools.js";
import { weighCalls } from "./weigh-calls.js";

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
  if (waits) return Promise.all(judged).then((valid) => weighCalls(calls, valid, terms));
  return weighCalls(calls, judged as readonly JudgedCall[], terms);
}

function judgeCall(
  call: FunctionCallContent,
  index: number,
  tools: ReadonlyMap<string, Tool>,
  terms: BatchTerms,
  cut: boolean,
  unknown: UnknownTools,
): JudgedCall | Promise<JudgedCall> {
  const ruling = terms.held?.rulings.get(call.callId);
  const before = terms.held && seenTo(call, terms.held, ruling, terms.denied);
  if (before) return before;
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
  const edited = ruling?.kind === "approved" ? ruling.arguments : undefined;
  const checked = checkArguments(tool, edited ?? call.arguments);
  if (checked instanceof Promise) {
    return checked.then((result) => verdictOn(call, index, tool, result, ruling));
  }
  return verdictOn(call, index, tool, checked, ruling);
}

/** Of a batch that waited: what an earlier pass has done, or a person has refused. */
function seenTo(
  call: FunctionCallContent,
  { outcomes }: HeldTerms,
  ruling: Ruling | undefined,
  denied: DeniedCalls,
): JudgedCall | undefined {
  const outcome = outcomes.get(call.callId);
  if (outcome) return { kind: "kept", outcome };
  if (ruling?.kind !== "refused") return undefined;
  if (ruling.byPerson) denied.add(call);
  return { kind: "answered", result: ruling.result, byPerson: true };
}

function verdictOn(
  call: FunctionCallContent,
  index: number,
  tool: FunctionTool,
  checked: CheckedArguments,
  ruling: Ruling | undefined,
): JudgedCall {
  if (!checked.ok) return invalid(checked.message);
  const { arguments: args, input } = checked;
  if (tool.execute === undefined) return { kind: "open", call, tool, arguments: args, input };
  return { kind: "run", index, call, tool, arguments: args, input, ruling };
}

function notRunByChoice(): ToolResult {
  return errorResult({ code: "not_run", message: "not run: no tool may be called now." });
}

function invalid(details: string): JudgedCall {
  return { kind: "answered", result: argumentErrorResult(details) };
}
