import { spendRemembered } from "../approvals/remembering-session.js";
import type { Ruling } from "../approvals/rulings.js";
import type { HeldBatch } from "../approvals/settle-answers.js";
import type { FunctionCallContent } from "../messages/content.js";
import type { Message } from "../messages/message.js";
import type { Update } from "../messages/update.js";
import { addUsage, type Usage } from "../messages/usage.js";
import type { Run } from "../run/run.js";
import type { ToolResult } from "../tools/tool.js";
import type { ToolList } from "../tools/tool-list.js";
import { admit, ToolCounts } from "./admit-calls.js";
import { repeatedRequest, usedUp } from "./approval-refusals.js";
import type { Questions } from "./ask-people.js";
import { hasFailed } from "./batch-failure.js";
import type { InvocationScope } from "./call-context.js";
import { beginCall, putOutcome, settleCall, settlementOf } from "./call-outcomes.js";
import { DeniedCalls } from "./denied-calls.js";
import type { InvocationSettings } from "./function-invocation-configuration.js";
import type { InvocationOnions } from "./invocation-onions.js";
import { type Invoked, invokeFunction, tellRefused } from "./invoke-function.js";
import { judgeBatch } from "./judge-batch.js";
import type { BatchTerms, JudgedCall, JudgedQuestion, RunnableCall } from "./judged-call.js";
import { ResultSender } from "./push-updates.js";
import { questionAbout } from "./question-about.js";
import { editedOf, resultContent } from "./result-content.js";
import type { BatchEnd, HeldBatchRunner, RoundTerms } from "./round-terms.js";
import { runBatch } from "./run-batch.js";
import { notRunAtEnd, type OpenBatch, type RunLog } from "./run-log.js";

type Emit = (update: Update) => void | Promise<void>;

/** Runs the calls of one run, batch by batch: judges, runs, answers, and puts all of it into the log. */
export class CallRunner implements HeldBatchRunner {
  /** How many batches in a row have failed. */
  failedBatches = 0;
  /** What child runs have used. */
  usage: Usage | undefined;
  readonly #settings: InvocationSettings;
  readonly #onions: InvocationOnions;
  readonly #run: Run;
  readonly #log: RunLog;
  readonly #tools: ToolList;
  readonly #emit: Emit | undefined;
  readonly #counts = new ToolCounts();
  readonly #denied = new DeniedCalls();
  #sender: ResultSender | undefined;
  #endedBy: string | undefined;
  #closed = false;

  constructor(
    { settings, onions }: { settings: InvocationSettings; onions: InvocationOnions },
    run: Run,
    log: RunLog,
    tools: ToolList,
    emit: Emit | undefined,
  ) {
    this.#settings = settings;
    this.#onions = onions;
    this.#run = run;
    this.#log = log;
    this.#tools = tools;
    this.#emit = emit;
  }

  /** Judges the whole batch, runs what may run, and answers every call. */
  run(
    messages: readonly Message[],
    calls: readonly FunctionCallContent[],
    terms: RoundTerms,
  ): Promise<BatchEnd> {
    const batch = this.#log.open(messages, calls);
    this.#sender = this.#emit && new ResultSender(batch, this.#emit);
    const verdicts = judgeBatch(calls, this.#batchTerms(terms));
    if (!(verdicts instanceof Promise)) return this.#carryOut(batch, verdicts, terms);
    return this.#run.gate.pass(verdicts).then((judged) => this.#carryOut(batch, judged, terms));
  }

  async judgeHeld(
    batch: HeldBatch,
    rulings: ReadonlyMap<string, Ruling>,
    terms: RoundTerms,
  ): Promise<readonly JudgedCall[]> {
    const { outcomes } = settlementOf(this.#run);
    const held = { outcomes, rulings, ids: batch.held, batch: batch.calls };
    return this.#run.gate.pass(
      Promise.resolve(judgeBatch(batch.open, { ...this.#batchTerms(terms), held })),
    );
  }

  async resume(
    batch: HeldBatch,
    judged: readonly JudgedCall[],
    terms: RoundTerms,
  ): Promise<BatchEnd> {
    const resumed = this.#log.resume(batch.open, batch.calls);
    this.#sender = this.#emit && new ResultSender(resumed, this.#emit);
    return this.#carryOut(resumed, judged, terms);
  }

  /** Puts messages into the log of which no call runs: all are answered alike. */
  async answer(
    messages: readonly Message[],
    calls: readonly FunctionCallContent[],
    result: ToolResult,
    terms: RoundTerms,
  ): Promise<void> {
    if (calls.length === 0) return this.#log.add(messages);
    const batch = this.#log.open(messages, calls);
    for (const index of calls.keys()) this.#refuse(batch, index, result);
    this.#sender = this.#emit && new ResultSender(batch, this.#emit);
    await this.#closeBatch(batch, terms);
  }

  /** Gives the calls in flight the result that says so. Returns whether there were any. */
  async interrupt(terms: RoundTerms): Promise<boolean> {
    const batch = this.#log.interrupt();
    if (batch) await this.#closeBatch(batch, terms);
    return batch !== undefined;
  }

  /** The run is over: what an abandoned call still has to say is nobody's any more. */
  close(): void {
    this.#closed = true;
  }

  #batchTerms({ tools, cut, forbidden }: RoundTerms): BatchTerms {
    return {
      tools,
      cut,
      forbidden,
      terminateOnUnknownCalls: this.#settings.terminateOnUnknownCalls,
      run: this.#run,
      verdict: this.#onions.verdict,
      ended: this.#ended,
      denied: this.#denied,
    };
  }

  /** What was judged is done: the calls run that may, and who has to be asked, is. */
  async #carryOut(
    batch: OpenBatch,
    judged: readonly JudgedCall[],
    terms: RoundTerms,
  ): Promise<BatchEnd> {
    const { gate } = this.#run;
    const asks = judged.some(isQuestion);
    if (asks && this.#settings.approvals.mode !== "run") return this.#hold(batch, judged, terms);
    const { runnable, open } = this.#admit(batch, judged);
    if (this.#sender) await this.#sender.send();
    const running = this.#runAll(batch, runnable, terms);
    if (running !== undefined) await running;
    gate.throwIfAborted();
    const waits = open || batch.waiting !== undefined;
    const left = waits && this.#endedBy === undefined;
    if (left) {
      if (asks || batch.waiting) await this.#askAfter(batch, judged.filter(isQuestion));
    } else {
      if (waits) this.#refuseOpen(batch);
      this.#countFailure(batch);
    }
    const closing = this.#closeBatch(batch, terms);
    if (closing !== undefined) await closing;
    return { open: left, endedBy: this.#endedBy };
  }

  /** The others have run: who has to be asked, is. */
  async #askAfter(batch: OpenBatch, asked: readonly JudgedQuestion[]): Promise<void> {
    // In the order of the log: results, then questions.
    await this.#sender?.send(true);
    const started = batch.waiting ?? [];
    const waits = [...asked.map(({ context }) => context.call), ...started.map(({ call }) => call)];
    return this.#ask(batch, { asked, started, waits, refused: [] });
  }

  /** Somebody has to be asked: nothing of the batch runs, and the run ends with the requests. */
  async #hold(
    batch: OpenBatch,
    judged: readonly JudgedCall[],
    terms: RoundTerms,
  ): Promise<BatchEnd> {
    const all = this.#settings.approvals.mode === "ask-all";
    const parts = { run: this.#run, ended: this.#ended };
    const asked = judged.flatMap((each): JudgedQuestion[] => {
      if (each.kind === "ask") return [each];
      const decided = each.kind !== "run" || each.ruling !== undefined;
      return all && !decided ? [questionAbout(each, batch.all, parts)] : [];
    });
    const refused = (index: number): boolean => {
      const each = judged[index];
      // What a person has refused stays part of what is decided as one.
      return each?.kind === "answered" && !each.byPerson;
    };
    const waits = batch.calls.filter((_call, index) => !refused(index));
    const others = batch.calls.filter((_call, index) => refused(index));
    await this.#ask(batch, { asked, started: [], waits, refused: others });
    await this.#closeBatch(batch, terms);
    return { open: true, endedBy: undefined };
  }

  async #ask(batch: OpenBatch, questions: Questions): Promise<void> {
    const { approvals: settings } = this.#settings;
    const terms = { run: this.#run, settings, log: this.#log, emit: this.#emit };
    // Loaded by the first run that asks: most never do.
    const { askPeople } = await this.#run.gate.pass(import("./approval-flow.js"));
    return askPeople(questions, batch, terms);
  }

  /** Gives out the budgets; what does not run is answered at once. */
  #admit(
    batch: OpenBatch,
    judged: readonly JudgedCall[],
  ): { readonly runnable: readonly RunnableCall[]; readonly open: boolean } {
    const runnable: RunnableCall[] = [];
    let open = false;
    for (let index = 0; index < judged.length; index++) {
      const verdict = admit(judged[index] as JudgedCall, this.#run.budget, this.#counts);
      if (verdict.kind === "run") {
        if (verdict.by && !spendRemembered(this.#run, verdict.by)) {
          this.#refuse(batch, index, usedUp());
        } else runnable.push(verdict);
      } else if (verdict.kind === "answered") this.#refuse(batch, index, verdict.result);
      else if (verdict.kind === "kept") putOutcome(batch, index, verdict.outcome);
      else open = true;
    }
    return { runnable, open };
  }

  #runAll(
    batch: OpenBatch,
    runnable: readonly RunnableCall[],
    terms: RoundTerms,
  ): void | Promise<void> {
    const { gate } = this.#run;
    const scope = this.#scope(terms.seen, batch.all);
    const settle = (runnable: RunnableCall, invoked: Invoked): void | Promise<void> => {
      const { call, tool, index } = runnable;
      if (invoked.result === undefined) {
        const { pause } = invoked;
        const repeated = this.#log.repeatedRequest(pause.requests);
        if (repeated !== undefined) this.#refuse(batch, index, repeatedRequest(repeated));
        else settleCall(this.#run, batch, index, { pause: { call, tool, pause } });
        return undefined;
      }
      const { result, endedBy } = invoked;
      this.#endedBy ??= endedBy;
      const content = resultContent(call.callId, result, editedOf(runnable));
      settleCall(this.#run, batch, index, { result: content });
      if (result.isError) this.#counts.failed(tool);
      return this.#sender?.send();
    };
    // One call alone in a run that nobody can stop has nothing to wait behind.
    const guarded = runnable.length > 1 || gate.armed;
    // Siblings in flight are let go at once; the first failure is the one that counts.
    const fail = (error: unknown): void => gate.abort(error);
    return runBatch(runnable, this.#settings.maxConcurrency, (call) => {
      if (gate.aborted) return;
      beginCall(this.#run, batch, call);
      const invoked = invokeFunction(scope, call, this.#onions.function, guarded);
      const told = (settled: Invoked): void | Promise<void> =>
        settle(call, settled)?.then(undefined, fail);
      return invoked instanceof Promise ? invoked.then(told, fail) : told(invoked);
    });
  }

  #scope(messages: readonly Message[], batch: readonly FunctionCallContent[]): InvocationScope {
    const emit = this.#emit;
    const { gate } = this.#run;
    return {
      run: this.#run,
      gate,
      tools: this.#tools,
      iteration: this.#run.rounds,
      messages,
      includeDetailedErrors: this.#settings.includeDetailedErrors,
      batch,
      judge: this.#onions.verdict,
      ended: this.#ended,
      emit: emit && ((update) => (this.#closed || gate.aborted ? undefined : emit(update))),
    };
  }

  readonly #ended = (by: string): void => {
    this.#endedBy ??= by;
  };

  /** The run was ended: nobody will answer the calls that were to go back to the caller. */
  #refuseOpen(batch: OpenBatch): void {
    for (const index of batch.calls.keys()) {
      if (batch.results[index] === undefined) this.#refuse(batch, index, notRunAtEnd());
    }
  }

  /** Answers a call that does not run. */
  #refuse(batch: OpenBatch, index: number, result: ToolResult): void {
    const call = batch.calls[index];
    if (call === undefined) return;
    settleCall(this.#run, batch, index, { result: resultContent(call.callId, result) });
    tellRefused(this.#run, call, result);
  }

  #countFailure({ results }: OpenBatch): void {
    const failed = hasFailed(results);
    if (failed !== undefined) this.failedBatches = failed ? this.failedBatches + 1 : 0;
  }

  /** Puts the batch into the log; what of it the consumer has not seen is sent before. */
  #closeBatch(batch: OpenBatch, terms: RoundTerms): void | Promise<void> {
    const usage = this.#run.takeChildUsage();
    this.usage = addUsage(this.usage, usage);
    if (this.#sender) return this.#sendRest(this.#sender, batch, terms, usage);
    this.#log.close(terms.held);
  }

  async #sendRest(
    sender: ResultSender,
    batch: OpenBatch,
    terms: RoundTerms,
    usage: Usage | undefined,
  ): Promise<void> {
    await sender.send(true);
    if (usage) {
      await this.#emit?.({ type: "finish", messageId: batch.resultsId, usage, ...terms.end });
    }
    this.#log.close(terms.held);
  }
}

function isQuestion(each: JudgedCall): each is JudgedQuestion {
  return each.kind === "ask";
}
