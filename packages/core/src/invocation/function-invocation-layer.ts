import type { ChatClient, ChatClientMetadata, ChatRequest, ChatResponse, Outcome } from "../chat/chat-client.js";
import { type ChatOptions, checkChatOptions, checkToolChoice, type ToolChoice } from "../chat/chat-options.js";
import { ChatClientError } from "../errors/chat-client-error.js";
import { ConfigurationError } from "../errors/configuration-error.js";
import { TunicError } from "../errors/tunic-error.js";
import type { FunctionCallContent } from "../messages/content.js";
import { callsOf, type Message } from "../messages/message.js";
import { type Update, updatesOf } from "../messages/update.js";
import { addUsage, totalTokens, type Usage } from "../messages/usage.js";
import type { LimitName } from "../run/budget.js";
import { conductRun } from "../run/conduct-run.js";
import type { RunEnvironment } from "../run/environment.js";
import { Run } from "../run/run-context.js";
import type { Tool } from "../tools/tool.js";
import { ToolList } from "../tools/tool-list.js";
import type { Entrance } from "./enter-message.js";
import {
  type FunctionInvocationConfiguration,
  type InvocationSettings,
  invocationSettings,
} from "./function-invocation-configuration.js";
import { invokeFunction } from "./invoke-function.js";
import { admit, judgeBatch, notRun, type RunnableCall, ToolCounts } from "./judge-batch.js";
import { Round } from "./round.js";
import { runBatch } from "./run-batch.js";
import { type OpenBatch, RunLog, resultContent, waitsForAnswers } from "./run-log.js";
import { pusher, ResultSender } from "./push-updates.js";

/**
 * The tool loop around a chat client, and itself a chat client: it asks the model, runs the calls,
 * hands the results back and asks again, until the model answers or a budget ends it. The response
 * holds the whole turn.
 */
export class FunctionInvocationLayer implements ChatClient {
  readonly metadata: ChatClientMetadata;
  readonly settings: InvocationSettings;
  readonly client: ChatClient;
  readonly #environment: RunEnvironment | undefined;

  /** @throws ConfigurationError when the configuration makes no sense. */
  constructor(
    client: ChatClient,
    configuration: FunctionInvocationConfiguration = {},
    environment?: RunEnvironment,
  ) {
    this.client = client;
    this.metadata = client.metadata;
    this.settings = invocationSettings(configuration);
    this.#environment = environment;
  }

  checkTools(tools: readonly Tool[]): void {
    this.client.checkTools?.(tools);
  }

  async getResponse(request: ChatRequest): Promise<ChatResponse> {
    if (request.run instanceof Run) return new Invocation(this, request, request.run).go();
    checkChatOptions(request.options);
    const run = new Run({
      limits: this.settings.limits,
      ...(this.#environment && { environment: this.#environment }),
      ...(request.signal && { signal: request.signal }),
    });
    return conductRun(run, request.messages, () => new Invocation(this, request, run).go());
  }
}

/** What `run.signal` fires with when the time is up. */
class TimeIsUp extends TunicError {
  constructor(maxDurationMs: number) {
    super("time_is_up", `The run took longer than maxDurationMs (${maxDurationMs}).`);
  }
}

/** One run of the loop. Reads from top to bottom. */
class Invocation {
  readonly #client: ChatClient;
  readonly #settings: InvocationSettings;
  readonly #request: ChatRequest;
  readonly #run: Run;
  readonly #log: RunLog;
  readonly #tools: ToolList;
  readonly #counts = new ToolCounts();
  readonly #emit: ((update: Update) => void | Promise<void>) | undefined;
  #choice: ToolChoice | undefined;
  #options: ChatOptions | undefined;
  #conversationId: string | undefined;
  #failures = 0;
  #usage: Usage | undefined;
  #last: ChatResponse | undefined;
  #seen: readonly Message[] = [];
  #round: Round | undefined;
  #sender: ResultSender | undefined;

  constructor(layer: FunctionInvocationLayer, request: ChatRequest, run: Run) {
    this.#client = layer.client;
    this.#settings = layer.settings;
    this.#request = request;
    this.#run = run;
    this.#log = new RunLog(run, request.messages);
    this.#tools = new ToolList(request.options.tools);
    this.#choice = request.options.toolChoice;
    this.#conversationId = request.options.conversationId;
    this.#emit = request.onUpdate && pusher(run, request.onUpdate);
    run.readTranscript = () => this.#log.transcript();
  }

  /** The whole turn, under the time limit where there is one. */
  async go(): Promise<ChatResponse> {
    const { maxDurationMs } = this.#settings;
    const timer = maxDurationMs === undefined ? undefined : this.#startTimer(maxDurationMs);
    try {
      return await this.#turn();
    } catch (error) {
      if (timer === undefined || error !== timer.timeIsUp || this.#run.gate.external) throw error;
      return await this.#endOutOfTime();
    } finally {
      timer?.cancel();
      this.#run.parent?.addChildUsage(this.#usage);
    }
  }

  async #turn(): Promise<ChatResponse> {
    checkToolChoice(this.#choice, this.#tools.current);
    if (waitsForAnswers(this.#request.messages)) return this.#done("paused");
    for (;;) {
      const limit = this.#failed() ?? this.#run.budget.exhausted();
      if (limit) return this.#close(limit);
      this.#run.budget.spendIteration();
      const messages = await this.#ask(this.#choice);
      // After the first round the model may stop: forced for ever, it could never answer.
      if (this.#choice !== "none" && this.#choice !== undefined) this.#choice = "auto";
      const calls = messages.flatMap(callsOf);
      if (calls.length === 0) {
        this.#log.add(messages);
        return this.#done("completed");
      }
      const open = await this.#runCalls(messages, calls);
      if (open) return this.#done("paused");
    }
  }

  /** One model round trip, taken into the log's terms. */
  async #ask(choice: ToolChoice | undefined): Promise<readonly Message[]> {
    const run = this.#run;
    run.gate.throwIfAborted();
    const iteration = ++run.rounds;
    const round = new Round(this.#entrance(), this.#log.messageIds, this.#emit);
    this.#round = round;
    this.#seen = this.#log.view();
    const messages = this.#seen;
    const options = this.#roundOptions(choice);
    if (run.observed) run.emit("model.start", { iteration, messages });
    const startedAt = run.observed ? run.now() : 0;
    const waited = run.waitedMs;
    const tell = (outcome: "completed" | "failed" | "aborted", rest: { usage?: Usage; error?: unknown }): void => {
      if (!run.observed) return;
      const durationMs = run.now() - startedAt - (run.waitedMs - waited);
      run.emit("model.end", { iteration, outcome, durationMs, ...rest });
    };
    try {
      const request = { messages, options, signal: run.signal, run };
      const response = await run.gate.pass(
        this.#client.getResponse(this.#emit ? { ...request, onUpdate: round.receive } : request),
      );
      const entered = await round.end(response);
      this.#takeIn(response);
      tell("completed", {
        ...(response.usage && { usage: response.usage }),
        ...(response.finishReason !== undefined && { finishReason: response.finishReason }),
      });
      return entered;
    } catch (thrown) {
      const error = run.gate.aborted ? run.gate.reason : asClientError(thrown);
      tell(run.gate.aborted ? "aborted" : "failed", { error });
      throw error;
    }
  }

  #takeIn(response: ChatResponse): void {
    this.#last = response;
    this.#usage = addUsage(this.#usage, response.usage);
    this.#run.budget.spendTokens(totalTokens(response.usage));
    if (response.conversationId !== undefined) this.#conversationId = response.conversationId;
  }

  /** Judges the whole batch, runs what may run, and answers every call. Returns whether calls stay open. */
  async #runCalls(messages: readonly Message[], calls: readonly FunctionCallContent[]): Promise<boolean> {
    const batch = this.#log.open(messages, calls);
    const judged = admit(
      await judgeBatch(calls, {
        tools: this.#options?.tools ?? [],
        cut: this.#last?.finishReason === "length",
        terminateOnUnknownCalls: this.#settings.terminateOnUnknownCalls,
      }),
      this.#run.budget,
      this.#counts,
    );
    this.#run.gate.throwIfAborted();
    const runnable: RunnableCall[] = [];
    for (const each of judged) {
      if (each.kind === "run") runnable.push(each);
      else if (each.kind === "answered") {
        batch.results.set(each.call.callId, resultContent(each.call.callId, each.result));
      }
    }
    this.#sender = new ResultSender(batch, this.#emit);
    await this.#sender.send();
    await this.#runAll(batch, runnable, this.#sender);
    const open = judged.some((each) => each.kind === "open");
    if (!open) this.#countFailures(batch);
    await this.#closeBatch(batch, this.#last?.conversationId !== undefined);
    return open;
  }

  async #runAll(batch: OpenBatch, runnable: readonly RunnableCall[], sender: ResultSender): Promise<void> {
    if (runnable.length === 0) return;
    const scope = {
      run: this.#run,
      tools: this.#tools,
      iteration: this.#run.rounds,
      messages: this.#seen,
      includeDetailedErrors: this.#settings.includeDetailedErrors,
      ...(this.#emit && { emit: this.#emit }),
    };
    let failure: { readonly error: unknown } | undefined;
    await runBatch(runnable, this.#settings.maxConcurrency, async (call) => {
      const { callId } = call.call;
      if (this.#run.gate.aborted) return;
      batch.started.add(callId);
      try {
        const result = await invokeFunction(scope, call);
        batch.results.set(callId, resultContent(callId, result));
        if (result.isError) this.#counts.failed(call.tool);
        await sender.send();
      } catch (error) {
        failure ??= { error };
        // Siblings in flight are let go at once; the first failure is the one that counts.
        this.#run.gate.abort(error);
      }
    });
    if (failure) throw failure.error;
    this.#run.gate.throwIfAborted();
  }

  #countFailures(batch: OpenBatch): void {
    const failed = batch.calls.every((call) => batch.results.get(call.callId)?.isError === true);
    this.#failures = failed ? this.#failures + 1 : 0;
  }

  #failed(): LimitName | undefined {
    const enough = this.#failures >= Math.max(1, this.#settings.maxConsecutiveErrors);
    return enough ? "maxConsecutiveErrors" : undefined;
  }

  async #closeBatch(batch: OpenBatch, held: boolean): Promise<void> {
    await this.#sender?.send(true);
    const usage = this.#run.takeChildUsage();
    if (usage) {
      this.#usage = addUsage(this.#usage, usage);
      await this.#emit?.({ type: "finish", messageId: batch.resultsId, usage });
    }
    this.#log.messageIds.add(batch.resultsId);
    this.#log.close(held);
  }

  /** The closing call at a limit: same tools, so that prompt caches hold, but none may be called. */
  async #close(limit: LimitName): Promise<ChatResponse> {
    const messages = await this.#ask("none");
    const calls = messages.flatMap(callsOf);
    if (calls.length === 0) this.#log.add(messages);
    else {
      const batch = this.#log.open(messages, calls);
      for (const { callId } of calls) batch.results.set(callId, resultContent(callId, notRun(limit)));
      this.#sender = new ResultSender(batch, this.#emit);
      await this.#closeBatch(batch, false);
    }
    if (!messages.some(isVisible)) await this.#addFallback(limit);
    return this.#done("limit", limit);
  }

  /** Time is up: nothing more is asked; what has finished is kept and the rest says so. */
  async #endOutOfTime(): Promise<ChatResponse> {
    const limit = "maxDurationMs";
    this.#run.reopen();
    const batch = this.#log.interrupt();
    if (batch) await this.#closeBatch(batch, false);
    else await this.#round?.drop();
    await this.#addFallback(limit);
    return this.#done("limit", limit);
  }

  async #addFallback(limit: LimitName): Promise<void> {
    const text = `The run reached its limit (${limit}) before there was a final answer.`;
    const message: Message = {
      id: this.#run.newId("message"),
      role: "assistant",
      contents: [{ type: "text", text }],
      createdAt: this.#run.now(),
    };
    this.#log.add([message]);
    for (const update of updatesOf(message, { finishReason: "stop" })) await this.#emit?.(update);
  }

  #done(outcome: Outcome, limit?: LimitName): ChatResponse {
    const last = this.#last;
    return {
      messages: this.#log.added,
      ...(last?.finishReason !== undefined && { finishReason: last.finishReason }),
      ...(this.#usage && { usage: this.#usage }),
      ...(last?.responseId !== undefined && { responseId: last.responseId }),
      ...(this.#conversationId !== undefined && { conversationId: this.#conversationId }),
      ...(last?.model !== undefined && { model: last.model }),
      ...(last?.usage && { lastUsage: last.usage }),
      outcome,
      ...(limit && { limit }),
    };
  }

  #entrance(): Entrance {
    return {
      run: this.#run,
      provider: this.#client.metadata.provider,
      callIds: this.#log.callIds,
      renamed: new Map(),
    };
  }

  /** The options of a round; the same object as long as nothing has changed. */
  #roundOptions(choice: ToolChoice | undefined): ChatOptions {
    const tools = this.#tools.current;
    const known = this.#options;
    const same =
      known?.toolChoice === (tools.length > 0 ? choice : undefined) &&
      (known?.tools ?? noTools) === (tools.length > 0 ? tools : noTools) &&
      known?.conversationId === this.#conversationId;
    if (known && same) return known;
    const { tools: _, toolChoice: __, conversationId: ___, ...rest } = this.#request.options;
    this.#options = {
      ...rest,
      ...(tools.length > 0 && { tools }),
      ...(tools.length > 0 && choice !== undefined && { toolChoice: choice }),
      ...(this.#conversationId !== undefined && { conversationId: this.#conversationId }),
    };
    return this.#options;
  }

  #startTimer(maxDurationMs: number): { readonly timeIsUp: TimeIsUp; cancel(): void } {
    const run = this.#run;
    const timeIsUp = new TimeIsUp(maxDurationMs);
    const startedAt = run.now();
    let cancel = (): void => {};
    const arm = (ms: number): void => {
      cancel = run.environment.setTimer(() => {
        // Time that the consumer took is not the run's.
        const left = maxDurationMs - (run.now() - startedAt - run.waitedMs);
        if (left > 0) arm(left);
        else run.gate.abort(timeIsUp);
      }, ms);
    };
    arm(maxDurationMs);
    return { timeIsUp, cancel: () => cancel() };
  }
}

const noTools: readonly Tool[] = [];

/** Whether a message says something to a person; reasoning and blank text do not. */
function isVisible(message: Message): boolean {
  return message.contents.some((content) => {
    if (content.type === "text") return content.text.trim() !== "";
    return content.type === "data" || content.type === "uri" || content.type === "error";
  });
}

/** Whatever a chat client throws, the run rejects with an error that programs can read. */
function asClientError(thrown: unknown): unknown {
  if (thrown instanceof TunicError || thrown instanceof ConfigurationError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ChatClientError("unknown", `The chat client failed: ${message}`, { cause: thrown });
}
