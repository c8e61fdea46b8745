import { ownVerdict, weigh } from "../approvals/own-verdict.js";
import { spendRemembered } from "../approvals/remembering-session.js";
import { VerdictContext } from "../approvals/verdict.js";
import type { FunctionCallContent } from "../messages/content.js";
import type { ToolResult } from "../tools/tool.js";
import { errorResult } from "../tools/tool-result.js";
import type { BatchTerms, Judge, JudgedCall, JudgedQuestion, RunnableCall } from "./judged-call.js";

/** A call as a question, whatever else was said about it. */
export function questionAbout(
  { index, call, tool, arguments: args, input }: RunnableCall,
  batch: readonly FunctionCallContent[],
  { run, ended }: Pick<BatchTerms, "run" | "ended">,
): JudgedQuestion {
  const context = new VerdictContext({ tool, call, arguments: args, input, batch, run, ended });
  return { kind: "ask", index, context, input, verdict: { kind: "ask" } };
}

/**
 * Judges arguments that a function handler has put in place of the call's: the batch is running, so
 * that anything but "run" refuses the call. Whoever approved the call approved other arguments.
 *
 * @returns what the model is told, or undefined where the call may run.
 */
export async function judgeChanged(
  judge: Judge,
  context: VerdictContext,
): Promise<ToolResult | undefined> {
  const { verdict, by } = await weigh(await judge(context), context);
  if (verdict.kind === "run") {
    return by && !spendRemembered(context.run, by) ? usedUp() : undefined;
  }
  if (verdict.kind === "deny") return denied(verdict.message);
  const why = verdict.reason ?? verdict.violation;
  return denied(
    `not run: with the arguments as they were changed, a person would have to be asked${why === undefined ? "" : ` (${why})`}.`,
  );
}

/** The handlers, or what stands in their middle, judge each valid call; the order changes nothing. */
export function weighCalls(
  calls: readonly FunctionCallContent[],
  judged: readonly JudgedCall[],
  terms: BatchTerms,
): readonly JudgedCall[] | Promise<readonly JudgedCall[]> {
  const { verdict, denied: before, held } = terms;
  if (verdict === undefined && held === undefined && before.none && !judged.some(mayAsk)) {
    return judged;
  }
  const batch = held?.batch ?? calls;
  const weighed = judged.map((each): JudgedCall | Promise<JudgedCall> => {
    if (each.kind !== "run") return each;
    if (held !== undefined && !held.ids.has(each.call.callId)) return refusedBefore;
    if (each.ruling === undefined && before.has(each.call)) return deniedBefore;
    return verdict || mayAsk(each) ? weighOne(each, batch, terms) : each;
  });
  return Promise.all(weighed).then((all) => limitRemembered(all, batch, terms));
}

/** Whether the call's tool may want it approved. */
function mayAsk(each: JudgedCall): boolean {
  if (each.kind !== "run") return false;
  const { approvalMode } = each.tool;
  return approvalMode !== undefined && approvalMode !== "never_require";
}

async function weighOne(
  each: RunnableCall,
  batch: readonly FunctionCallContent[],
  { run, ended, verdict: judge = ownVerdict }: BatchTerms,
): Promise<JudgedCall> {
  const { tool, call, input, ruling } = each;
  const decision = ruling?.kind === "approved" ? ruling.decision : undefined;
  const parts = { tool, call, arguments: each.arguments, input, batch, run, ended, decision };
  const context = new VerdictContext(parts);
  const { verdict, by } = await weigh(await judge(context), context);
  if (verdict.kind === "deny") return { kind: "answered", result: denied(verdict.message) };
  if (verdict.kind === "run") return by ? { ...each, by } : each;
  if (ruling?.kind !== "resumed")
    return { kind: "ask", index: each.index, context, input, verdict };
  // It has started already, so it was allowed to; only a rule that it breaks now stops it.
  if (verdict.violation === undefined) return each;
  return { kind: "answered", result: denied(`not run any further: ${verdict.violation}`) };
}

/** A remembered decision for two more calls does not let a third one of the same batch run. */
function limitRemembered(
  judged: readonly JudgedCall[],
  batch: readonly FunctionCallContent[],
  terms: BatchTerms,
): readonly JudgedCall[] {
  const used = new Map<string, number>();
  return judged.map((each): JudgedCall => {
    if (each.kind !== "run" || each.by?.usesLeft === undefined) return each;
    const count = (used.get(each.by.id) ?? 0) + 1;
    used.set(each.by.id, count);
    return count <= each.by.usesLeft ? each : questionAbout(each, batch, terms);
  });
}

const deniedBefore: JudgedCall = {
  kind: "answered",
  result: denied("not run: a person has denied this very call already. Do not repeat it."),
};

/** What could not run when it was made does not run later, whatever tools there are by then. */
const refusedBefore: JudgedCall = {
  kind: "answered",
  result: errorResult({
    code: "not_run",
    message: "not run: it could not run when it was called.",
  }),
};

/** Several calls may have counted on the last use of a remembered decision. */
export function usedUp(): ToolResult {
  return denied(
    "not run: what a person has allowed is used up by other calls. Call it again, and a person is asked.",
  );
}

/** What the model is told of a call that is not allowed. */
function denied(message: string): ToolResult {
  return errorResult({ code: "approval_denied", message });
}

/** A tool that asks under an id of an earlier question would be given the answer to that one. */
export function repeatedRequest(requestId: string): ToolResult {
  return errorResult({
    code: "repeated_request",
    message: `the tool asked under the id "${requestId}", which this conversation has had. Its author makes new ones with context.run.newId("request").`,
  });
}
