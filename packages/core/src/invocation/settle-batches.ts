import { checkDecision, checkEdit } from "../approvals/approval-response.js";
import { checkRemember, rememberDecision } from "../approvals/remember.js";
import { rulingsOn } from "../approvals/rulings.js";
import {
  type HeldBatch,
  isDecided,
  isExpired,
  type ReadAnswers,
  readAnswers,
  verifyBatch,
} from "../approvals/settle-answers.js";
import { processSpentRequests } from "../approvals/spent-requests.js";
import { ApprovalError } from "../errors/run-errors.js";
import type { FunctionApprovalRequestContent, Spent } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import type { Message } from "../messages/message.js";
import { answersOf, isControl } from "../messages/requests.js";
import type { Run } from "../run/run-context.js";
import { AgentSession } from "../session/agent-session.js";
import type { Tool } from "../tools/tool.js";
import { toolsByName } from "../tools/tool-list.js";
import { errorResult } from "../tools/tool-result.js";
import { checkArguments } from "../tools/validate-arguments.js";
import { settlementOf } from "./call-outcomes.js";
import type { InvocationSettings } from "./function-invocation-configuration.js";
import type { JudgedCall } from "./judged-call.js";
import type { HeldBatchRunner, RoundTerms } from "./round-terms.js";

/** How a run goes on after the answers that came in. */
export interface Settled {
  /** Whether somebody still has to answer, so that the model is not asked. */
  readonly waits: boolean;
  readonly endedBy: string | undefined;
}

/** What answers are settled with. */
interface SettleTerms {
  readonly log: readonly Message[];
  /** Where in it the input begins. */
  readonly from: number;
  readonly run: Run;
  readonly settings: InvocationSettings;
  readonly calls: HeldBatchRunner;
  readonly terms: RoundTerms;
}

/** A batch that is decided, and what becomes of its calls. */
interface Plan {
  readonly batch: HeldBatch;
  readonly judged: readonly JudgedCall[];
}

/**
 * Settles the answers that an input brings, before the model is asked. First all of them are looked
 * at, and one that cannot be used is an error before anything has happened. A batch then runs once
 * all its requests are answered or have expired; until then its answers wait in the log.
 *
 * @throws ApprovalError for an answer that cannot be used.
 */
export async function settleAnswers(settle: SettleTerms): Promise<Settled> {
  const { log, from, run, calls, terms } = settle;
  for (const message of log.slice(from)) answersOf(message).forEach(checkDecision);
  const own = run.session && AgentSession.requestsOf(run.session);
  const read = readAnswers(log, from, own);
  await checkAnswers(settle, read, own !== undefined);
  run.acceptedAnswers = new Set(read.accepted);
  const touched = read.batches.filter((batch) => batch.touched);
  const now = run.now();
  const decided = touched.filter((batch) => isDecided(batch, now));
  run.budget.resume(mostSpent(run.budget.spent, decided));
  const plans: Plan[] = [];
  for (const batch of decided) {
    const rulings = await run.gate.pass(rulingsOn(batch, terms.tools, now));
    plans.push({ batch, judged: await calls.judgeHeld(batch, rulings, terms) });
  }
  let waits = decided.length < touched.length && saysNothingElse(settle);
  let quiet = own === undefined;
  const { taken: mine } = settlementOf(run);
  for (const plan of plans) {
    const taken = isHeld(plan, settle) || (await take(settle, plan.batch, mine, quiet));
    const judged = taken ? plan.judged : plan.batch.open.map(usedElsewhere);
    if (taken && !isHeld(plan, settle)) decide(plan, run, now, mine);
    const { open, endedBy } = await calls.resume(plan.batch, judged, terms);
    if (endedBy !== undefined) return { waits: false, endedBy };
    waits ||= open;
    quiet = false;
  }
  return { waits, endedBy: undefined };
}

/** Whether a batch waits on as a whole, for another answer: then nothing of it is used up. */
function isHeld({ judged }: Plan, { settings }: SettleTerms): boolean {
  return settings.approvals.mode !== "run" && judged.some((each) => each.kind === "ask");
}

/** All answers are looked at before any of them has an effect. */
async function checkAnswers(
  { log, run, settings, terms }: SettleTerms,
  { batches, news }: ReadAnswers,
  known: boolean,
): Promise<void> {
  const { keys } = settings.approvals;
  if (keys && !known && !run.trustsInput) {
    for (const batch of batches) {
      if (batch.touched) await run.gate.pass(verifyBatch(batch, log, keys));
    }
  }
  const tools = toolsByName(terms.tools);
  for (const { request, answer } of news) {
    checkRemember(answer, request, run);
    if (answer.arguments === undefined) continue;
    checkEdit(request, answer.arguments);
    await run.gate.pass(checkFit(request, answer.arguments, tools));
  }
}

/** Arguments that a person has changed have to fit, as those of a model do. */
async function checkFit(
  { call, path, tool: asked, requestId }: FunctionApprovalRequestContent,
  edited: JsonObject,
  tools: ReadonlyMap<string, Tool>,
): Promise<void> {
  // A sub-agent's tool is known from its request alone.
  const tool = path === undefined ? tools.get(call.name) : asked;
  if (tool === undefined || !("parameters" in tool)) return;
  const checked = await checkArguments(tool, edited);
  if (checked.ok) return;
  throw new ApprovalError(
    "invalid_edit",
    `The arguments as they were changed do not fit "${call.name}": ${checked.message}`,
    requestId,
  );
}

/**
 * Takes a batch's requests for this run, and for no other one.
 *
 * @param mine What an earlier pass of this run has taken.
 * @param quiet Whether nothing has happened yet, and no session has to go on: then it is an error that
 * they are taken.
 */
async function take(
  { run, settings }: SettleTerms,
  { requests }: HeldBatch,
  mine: ReadonlySet<string>,
  quiet: boolean,
): Promise<boolean> {
  // What a parent run has handed down, it has taken itself.
  if (run.trustsInput) return true;
  const ofProcess = run.session ? undefined : processSpentRequests(run.environment);
  const { spent = ofProcess } = settings.approvals;
  if (spent === undefined) return true;
  for (const { requestId, expiresAt = Number.MAX_SAFE_INTEGER } of requests) {
    if (mine.has(requestId)) continue;
    const taken = await run.gate.pass(Promise.resolve(spent.take(requestId, expiresAt)));
    if (taken === true) continue;
    if (!quiet) return false;
    throw new ApprovalError(
      "already_used",
      `The approval request "${requestId}" has been used by another run. Nothing ran.`,
      requestId,
    );
  }
  return true;
}

/** A copy of the session may have gone on elsewhere: this one has to be able to go on, too. */
function usedElsewhere(): JudgedCall {
  const message = "not run here: another run has used this approval, and may have run the call.";
  return { kind: "answered", result: errorResult({ code: "approval_used", message }) };
}

/** The decisions take effect: they are told, and remembered where they say so. */
function decide({ batch, judged }: Plan, run: Run, now: number, mine: Set<string>): void {
  const { requests, answers } = batch;
  for (const request of requests) {
    const { requestId, call, path } = request;
    if (mine.has(requestId)) continue;
    mine.add(requestId);
    const answer = answers.get(requestId);
    const inTime = answer !== undefined && !isExpired(request, now);
    const { decidedBy } = answer ?? {};
    run.emit("approval.decided", {
      requestId,
      approved: inTime && answer.approved,
      ...(decidedBy !== undefined && { decidedBy }),
    });
    // What a sub-agent asked is remembered where it is settled.
    if (!inTime || path !== undefined) continue;
    // As validated, where the call runs: a further one is compared as validated, too.
    const runs = judged.find((each) => each.kind === "run" && each.call.callId === call.callId);
    const args = runs?.kind === "run" ? runs.arguments : (call.arguments ?? {});
    rememberDecision(answer, request, args, run);
  }
}

/** Whether a person has only answered: then the rest of the questions comes before the model. */
function saysNothingElse({ log, from, run }: SettleTerms): boolean {
  if (run.onlyAnswers !== undefined) return run.onlyAnswers;
  return log
    .slice(from)
    .every((message) => message.role === "tool" || message.contents.every(isControl));
}

function mostSpent(now: Spent, batches: readonly HeldBatch[]): Spent {
  let { iterations, functionCalls, tokens } = now;
  for (const { spent } of batches.flatMap((batch) => batch.requests)) {
    iterations = Math.max(iterations, countOf(spent?.iterations));
    functionCalls = Math.max(functionCalls, countOf(spent?.functionCalls));
    tokens = Math.max(tokens, countOf(spent?.tokens));
  }
  return { iterations, functionCalls, tokens };
}

/** Without a signature the history may say anything. */
function countOf(count: unknown): number {
  return Number.isSafeInteger(count) && Number(count) > 0 ? Number(count) : 0;
}
