import { ownVerdict } from "../approvals/own-verdict.js";
import { spendRemembered } from "../approvals/remembering-session.js";
import { VerdictContext } from "../approvals/verdict.js";
import { weigh } from "../approvals/weigh.js";
import type { FunctionCallContent } from "../messages/content.js";
import type { ToolResult } from "../tools/tool.js";
import { errorResult } from "../tools/tool-result.js";
import { denied, usedUp } from "./approval-refusals.js";
import type { BatchTerms, Judge, JudgedCall, OpenCall, RunnableCall } from "./judged-call.js";
import { mayAsk, questionAbout } from "./question-about.js";

/** The handlers, or what stands in their middle, judge each valid call of a batch. */
export async function weighBatch(
  calls: readonly FunctionCallContent[],
  judged: readonly JudgedCall[],
  terms: BatchTerms,
): Promise<readonly JudgedCall[]> {
  const { verdict, denied: before, held } = terms;
  const batch = held?.batch ?? calls;
  const weighed = judged.map((each): JudgedCall | Promise<JudgedCall> => {
    if (each.kind === "open" && verdict) return weighOpen(each, batch, terms, verdict);
    if (each.kind !== "run") return each;
    if (held !== undefined && !held.ids.has(each.call.callId)) return refusedBefore;
    if (each.ruling === undefined && before.has(each.call)) return deniedBefore;
    return verdict || mayAsk(each) ? weighOne(each, batch, terms) : each;
  });
  return limitRemembered(await Promise.all(weighed), batch, terms);
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
  if (verdict.kind === "run") return { ...each, context, ...(by && { by }) };
  if (ruling?.kind !== "resumed")
    return { kind: "ask", index: each.index, context, input, verdict };
  // It has started already, so it was allowed to; only a rule that it breaks now stops it.
  if (verdict.violation === undefined) return each;
  return { kind: "answered", result: denied(`not run any further: ${verdict.violation}`) };
}

/** Whoever runs the call can ask a person, too; but what breaks a rule is not handed to them. */
async function weighOpen(
  open: OpenCall,
  batch: readonly FunctionCallContent[],
  { run, ended }: BatchTerms,
  judge: Judge,
): Promise<JudgedCall> {
  const { tool, call, arguments: args, input } = open;
  const verdict = await judge(
    new VerdictContext({ tool, call, arguments: args, input, batch, run, ended }),
  );
  if (verdict.kind === "deny") return { kind: "answered", result: denied(verdict.message) };
  if (verdict.kind === "run" || verdict.violation === undefined) return open;
  const { violation } = verdict;
  const message = `not run: a rule would be broken (${violation}), and nobody can be asked here.`;
  return { kind: "answered", result: denied(message) };
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

/**
 * Judges arguments that a function handler has put in place of the call's: the batch is running, so
 * that anything but "run" refuses the call. Whoever approved the call approved other arguments.
 *
 * @returns what the model is told, or undefined where the call may run.
 */
export async function judgeChanged(
  judge: Judge | undefined,
  context: VerdictContext,
): Promise<ToolResult | undefined> {
  const said = await (judge ?? ownVerdict)(context);
  const { verdict, by } = await weigh(said, context);
  if (verdict.kind === "run") {
    return by && !spendRemembered(context.run, by) ? usedUp() : undefined;
  }
  if (verdict.kind === "deny") return denied(verdict.message);
  const why = verdict.reason ?? verdict.violation;
  return denied(
    `not run: with the arguments as they were changed, a person would have to be asked${why === undefined ? "" : ` (${why})`}.`,
  );
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
