import { checkDecision, checkEdit } from "../approvals/approval-response.js";
import { genuineRequests } from "../approvals/genuine-requests.js";
import { checkRemember, rememberDecision } from "../approvals/remember.js";
import { rulingsOn } from "../approvals/rulings.js";
import {
  type HeldBatch,
  isDecided,
  type ReadAnswers,
  readAnswers,
  type Source,
} from "../approvals/settle-answers.js";
import { processSpentRequests, type SpentRequests } from "../approvals/spent-requests.js";
import { readWaiting, type WaitingLog } from "../approvals/waiting-log.js";
import { ConfigurationError } from "../errors/configuration-error.js";
import { ApprovalError } from "../errors/run-errors.js";
import type { FunctionApprovalRequestContent, Spent } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import type { Message } from "../messages/message.js";
import { answersOf, isControl, requestsIn } from "../messages/requests.js";
import type { Run } from "../run/run.js";
import { AgentSession } from "../session/agent-session.js";
import type { Tool } from "../tools/tool.js";
import { toolsByName } from "../tools/tool-list.js";
import { errorResult } from "../tools/tool-result.js";
import { checkArguments } from "../tools/validate-arguments.js";
import { settlementOf } from "./call-outcomes.js";
import type { InvocationSettings } from "./function-invocation-configuration.js";
import type { JudgedCall } from "./judged-call.js";
import type { BatchEnd, HeldBatchRunner, RoundTerms } from "./round-terms.js";

/** How a run goes on after the answers that came in. */
export interface Settled {
  /** Whether somebody still has to answer, so that the model is not asked. */
  readonly waits: boolean;
  readonly endedBy: string | undefined;
  /** Whether a batch has gone on. */
  readonly resumed: boolean;
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
 * all its requests are answered; until then its answers wait in the log.
 *
 * @throws ApprovalError for an answer that cannot be used.
 */
export async function settleAnswers(settle: SettleTerms): Promise<Settled> {
  const { log, from, run, calls, terms } = settle;
  for (const message of log.slice(from)) answersOf(message).forEach(checkDecision);
  const waiting = readWaiting(log, from);
  const source = await run.gate.pass(sourceOf(settle, waiting));
  // A parent run has looked at the time, when it handed the answers down.
  const now = run.handedDown?.trusted ? 0 : run.now();
  const read = readAnswers(log, from, source, waiting, now);
  await checkAnswers(settle, read);
  const root = run.passOf ?? run;
  root.acceptedAnswers = new Set(read.accepted);
  const decided = read.batches.filter(isDecided);
  root.budget.resume(mostSpent(root.budget.spent, decided));
  let waits = decided.length < read.batches.length && saysNothingElse(settle);
  let quiet = true;
  for (const batch of decided) {
    const rulings = await run.gate.pass(rulingsOn(batch, terms.tools));
    // Judged when its turn has come: what the batch before it did may count.
    const judged = await calls.judgeHeld(batch, rulings, terms);
    const { open, endedBy } = await goOn({ batch, judged }, settle, quiet);
    if (endedBy !== undefined) return { waits: false, endedBy, resumed: true };
    waits ||= open;
    quiet = false;
  }
  return { waits, endedBy: undefined, resumed: decided.length > 0 };
}

/** Whose requests count: a session's own, those that are signed, or, without either, those in the log. */
async function sourceOf({ log, run, settings }: SettleTerms, waiting: WaitingLog): Promise<Source> {
  const { keys } = settings.approvals;
  const { session } = run;
  if (session) {
    return {
      requests: AgentSession.requestsOf(session),
      pauses: requestsIn(log),
      checked: true,
    };
  }
  const requests = keys ? await genuineRequests(log, waiting, keys) : requestsIn(log);
  return { requests, pauses: requests, checked: false };
}

/** Goes on with a batch that is decided: takes its requests, and has its calls run. */
async function goOn(plan: Plan, settle: SettleTerms, quiet: boolean): Promise<BatchEnd> {
  const { run, calls, terms } = settle;
  const { batch } = plan;
  if (isHeld(plan, settle)) return calls.resume(batch, plan.judged, terms);
  const spent = spentOf(settle);
  if (!(await take(batch, run, spent, quiet))) {
    return calls.resume(batch, batch.open.map(usedElsewhere), terms);
  }
  decide(plan, run);
  try {
    return await calls.resume(batch, plan.judged, terms);
  } catch (error) {
    // Where nothing has begun, nothing is used up: the answer can be given again.
    const { begun } = settlementOf(run);
    if (!batch.open.some(({ callId }) => begun.has(callId))) giveBack(batch, run, spent);
    throw error;
  }
}

/** Whether a batch waits on as a whole, for another answer: then nothing of it is used up. */
function isHeld({ judged }: Plan, { settings }: SettleTerms): boolean {
  return settings.approvals.mode !== "run" && judged.some((each) => each.kind === "ask");
}

/** All answers are looked at before any of them has an effect. */
async function checkAnswers({ run, terms }: SettleTerms, { news }: ReadAnswers): Promise<void> {
  const tools = toolsByName(terms.tools);
  for (const { request, answer } of news) {
    checkDecision(answer);
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

/** Where used requests are remembered: what the options name, else this process. */
function spentOf({ run, settings }: SettleTerms): SpentRequests {
  return settings.approvals.spent ?? processSpentRequests(run.environment);
}

/**
 * Takes a batch's requests for this run, and for no other one.
 *
 * @param quiet Whether nothing has happened yet: then it is an error that they are taken, unless they
 * are all denied, which closes the batch.
 */
async function take(
  { requests, answers }: HeldBatch,
  run: Run,
  spent: SpentRequests,
  quiet: boolean,
): Promise<boolean> {
  // What a parent run has handed down, it has taken itself.
  if (run.handedDown?.trusted) return true;
  const { taken: mine } = settlementOf(run);
  const taken: string[] = [];
  const giveAllBack = (): void => {
    for (const id of taken) release(id, run, spent);
  };
  for (const { requestId, expiresAt = Number.MAX_SAFE_INTEGER } of requests) {
    if (mine.has(requestId)) continue;
    const free = await takeOne(requestId, expiresAt, run, spent).catch((error: unknown) => {
      giveAllBack();
      throw error;
    });
    if (free) {
      taken.push(requestId);
      continue;
    }
    giveAllBack();
    const denied = requests.every((request) => !answers.get(request.requestId)?.approved);
    if (!quiet || denied) return false;
    throw new ApprovalError(
      "already_used",
      `The approval request "${requestId}" has been used by another run, which may have run the call. Nothing ran now. Go on with what that run has left; where that is lost, a denial closes the request here.`,
      requestId,
    );
  }
  return true;
}

/** What a store that was too slow gives after all, or one that fails, must not cost the approval. */
async function takeOne(
  requestId: string,
  until: number,
  run: Run,
  spent: SpentRequests,
): Promise<boolean> {
  const asked = Promise.resolve(spent.take(requestId, until));
  let taken: unknown;
  try {
    taken = await run.gate.pass(asked);
  } catch (error) {
    asked.then((late) => late === true && release(requestId, run, spent)).catch(() => {});
    throw error;
  }
  if (typeof taken === "boolean") return taken;
  throw new ConfigurationError(
    "invalid_option",
    "`approvals.spent`: take() must give true, or false where the request was used before.",
  );
}

function giveBack({ requests, open }: HeldBatch, run: Run, spent: SpentRequests): void {
  const { taken: mine, outcomes } = settlementOf(run);
  for (const { callId } of open) outcomes.delete(callId);
  for (const { requestId } of requests) if (mine.delete(requestId)) release(requestId, run, spent);
}

function release(requestId: string, run: Run, spent: SpentRequests): void {
  Promise.resolve(spent.release?.(requestId)).catch((error: unknown) => {
    run.notice("release_failed", `The request "${requestId}" could not be given back.`, error);
  });
}

/** Another run has used this approval: this copy of the conversation has to be able to go on, too. */
function usedElsewhere(): JudgedCall {
  const message = "not run here: another run has used this approval, and may have run the call.";
  return { kind: "answered", result: errorResult({ code: "approval_used", message }) };
}

/** The decisions take effect: they are told, and remembered where they say so. */
function decide({ batch, judged }: Plan, run: Run): void {
  const { taken: mine } = settlementOf(run);
  for (const request of batch.requests) {
    const { requestId, call, path } = request;
    const answer = batch.answers.get(requestId);
    if (mine.has(requestId) || answer === undefined) continue;
    mine.add(requestId);
    const { approved, decidedBy } = answer;
    const by = decidedBy !== undefined && { decidedBy };
    run.emit("approval.decided", { requestId, approved, ...by });
    // What a sub-agent asked is remembered where it is settled.
    if (path !== undefined) continue;
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
