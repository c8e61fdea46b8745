import type {
  ChatClient,
  ChatClientMetadata,
  ChatRequest,
  ChatResponse,
  Outcome,
} from "../chat/chat-client.js";
import { checkChatOptions, checkToolChoice, type ToolChoice } from "../chat/chat-options.js";
import type { FunctionCallContent } from "../messages/content.js";
import { callsOf, type Message } from "../messages/message.js";
import { type Update, updatesOf } from "../messages/update.js";
import { addUsage, totalTokens, type Usage } from "../messages/usage.js";
import type { LimitName } from "../run/budget.js";
import { conductRun } from "../run/conduct-run.js";
import type { RunEnvironment } from "../run/environment.js";
import { Run } from "../run/run-context.js";
import type { Tool, ToolResult } from "../tools/tool.js";
import { ToolList } from "../tools/tool-list.js";
import { errorResult } from "../tools/tool-result.js";
import {
  type FunctionInvocationConfiguration,
  type InvocationSettings,
  invocationSettings,
} from "./function-invocation-configuration.js";
import {
  composeOnions,
  type InvocationLayers,
  type InvocationOnions,
} from "./invocation-onions.js";
import { type Invoked, invokeFunction, tellRefused } from "./invoke-function.js";
import {
  admit,
  type JudgedCall,
  judgeBatch,
  notRun,
  type RunnableCall,
  ToolCounts,
} from "./judge-batch.js";
import { ModelCaller } from "./model-caller.js";
import { pusher, ResultSender } from "./push-updates.js";
import { requestsFor } from "./request-approval.js";
import { runBatch } from "./run-batch.js";
import { type OpenBatch, RunLog, resultContent, waitsForAnswers } from "./run-log.js";
import { startTimeLimit } from "./time-limit.js";

/**
 * The tool loop around a chat client, and itself a chat client: it asks the model, runs the calls,
 * hands the results back and asks again, until the model answers or a budget ends it. The response
 * holds the whole turn.
 */
export class FunctionInvocationLayer implements ChatClient {
  readonly metadata: ChatClientMetadata;
  readonly settings: InvocationSettings;
  readonly client: ChatClient;
  /** The composed onions, once for all runs; absent where there are no handlers of the kind. */
  readonly onions: InvocationOnions;
  readonly #environment: RunEnvironment | undefined;

  /** @throws ConfigurationError when the configuration makes no sense. */
  constructor(
    client: ChatClient,
    configuration: FunctionInvocationConfiguration = {},
    { environment, layers }: InvocationParts = {},
  ) {
    this.client = client;
    this.metadata = client.metadata;
    this.settings = invocationSettings(configuration);
    this.onions = layers ? composeOnions(client, layers) : {};
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

/** What else a loop can be given. */
export interface InvocationParts {
  /** Clock, timers and random ids; for tests. */
  readonly environment?: RunEnvironment;
  /** Sorted middleware: see `sortMiddleware`. */
  readonly layers?: InvocationLayers;
}

/** One run of the loop. Reads from top to bottom. */
class Invocation {
  readonly #settings: InvocationSettings;
  readonly #request: ChatRequest;
  readonly #run: Run;
  readonly #log: RunLog;
  readonly #tools: ToolList;
  readonly #model: ModelCaller;
  readonly #onions: InvocationOnions;
  readonly #counts = new ToolCounts();
  readonly #emit: ((update: Update) => void | Promise<void>) | undefined;
  #sender: ResultSender | undefined;
  #choice: ToolChoice | undefined;
  #failedBatches = 0;
  #endedBy: string | undefined;
  #usage: Usage | undefined;

  constructor(layer: FunctionInvocationLayer, request: ChatRequest, run: Run) {
    this.#settings = layer.settings;
    this.#onions = layer.onions;
    this.#request = request;
    this.#run = run;
    this.#log = new RunLog(run, request.messages);
    this.#tools = new ToolList(request.options.tools);
    this.#choice = request.options.toolChoice;
    this.#emit = request.onUpdate && pusher(run, request.onUpdate);
    const { chat } = layer.onions;
    this.#model = new ModelCaller(
      layer.client,
      chat,
      request,
      run,
      this.#log,
      this.#tools,
      this.#emit,
    );
    run.keep(this.#log);
  }

  /** The whole turn, under the time limit where there is one. */
  async go(): Promise<ChatResponse> {
    const { maxDurationMs } = this.#settings;
    const timeLimit = maxDurationMs && startTimeLimit(this.#run, maxDurationMs);
    try {
      return await this.#turn();
    } catch (error) {
      if (!timeLimit || error !== timeLimit.reason) throw error;
      return await this.#endOutOfTime();
    } finally {
      if (timeLimit) timeLimit.cancel();
      this.#run.parent?.addChildUsage(this.#usage);
    }
  }

  async #turn(): Promise<ChatResponse> {
    checkToolChoice(this.#choice, this.#tools.current);
    if (waitsForAnswers(this.#request.messages)) return this.#done("paused");
    for (;;) {
      const limit = this.#limit();
      if (limit) return this.#close(limit);
      this.#run.budget.spendIteration();
      const messages = await this.#ask(this.#choice);
      // After the first round the model may stop: forced for ever, it could never answer.
      if (this.#choice !== "none" && this.#choice !== undefined) this.#choice = "auto";
      const calls = callsIn(messages);
      const { endedBy } = this.#model;
      if (endedBy !== undefined) return this.#end(messages, calls, endedBy);
      if (calls.length === 0) {
        this.#log.add(messages);
        return this.#done("completed");
      }
      const outcome = await this.#runCalls(messages, calls);
      if (outcome) return outcome;
    }
  }

  async #ask(choice: ToolChoice | undefined): Promise<readonly Message[]> {
    const messages = await this.#model.ask(choice);
    const usage = this.#model.last?.usage;
    if (usage) {
      this.#usage = addUsage(this.#usage, usage);
      this.#run.budget.spendTokens(totalTokens(usage));
    }
    return messages;
  }

  /** Judges the whole batch, runs what may run, answers every call. Returns a response when that ends the run. */
  async #runCalls(
    messages: readonly Message[],
    calls: readonly FunctionCallContent[],
  ): Promise<ChatResponse | undefined> {
    const { gate } = this.#run;
    const batch = this.#log.open(messages, calls);
    const verdicts = judgeBatch(calls, {
      tools: this.#model.options?.tools ?? [],
      cut: this.#model.last?.finishReason === "length",
      terminateOnUnknownCalls: this.#settings.terminateOnUnknownCalls,
      run: this.#run,
      verdict: this.#onions.verdict,
    });
    const judged = verdicts instanceof Promise ? await gate.pass(verdicts) : verdicts;
    if (judged.some((verdict) => verdict.kind === "ask")) return this.#pause(batch, judged);
    const runnable: RunnableCall[] = [];
    let stillOpen = false;
    for (let index = 0; index < judged.length; index++) {
      const verdict = admit(judged[index] as JudgedCall, this.#run.budget, this.#counts);
      if (verdict.kind === "run") runnable.push(verdict);
      else if (verdict.kind === "answered") this.#refuse(batch, index, verdict.result);
      else stillOpen = true;
    }
    this.#sender = this.#emit && new ResultSender(batch, this.#emit);
    if (this.#sender) await this.#sender.send();
    const running = this.#runAll(batch, runnable);
    if (running !== undefined) await running;
    gate.throwIfAborted();
    if (!stillOpen) this.#countFailure(batch);
    const closing = this.#closeBatch(batch, this.#model.last?.conversationId !== undefined);
    if (closing !== undefined) await closing;
    if (this.#endedBy !== undefined) return this.#done("ended", { endedBy: this.#endedBy });
    return stillOpen ? this.#done("paused") : undefined;
  }

  /** Somebody has to be asked: nothing of the batch runs, and the run ends with the requests. */
  async #pause(batch: OpenBatch, judged: readonly JudgedCall[]): Promise<ChatResponse> {
    const requests = requestsFor(batch, judged, this.#run);
    for (const [messageId, contents] of requests) {
      await this.#emit?.({ type: "delta", messageId, role: "assistant", contents });
    }
    this.#log.pause(requests);
    return this.#done("paused");
  }

  #runAll(batch: OpenBatch, runnable: readonly RunnableCall[]): void | Promise<void> {
    const { gate } = this.#run;
    const scope = {
      run: this.#run,
      tools: this.#tools,
      iteration: this.#run.rounds,
      messages: this.#model.seen,
      includeDetailedErrors: this.#settings.includeDetailedErrors,
      emit: this.#emit,
    };
    const settle = (runnable: RunnableCall, { result, endedBy }: Invoked): void | Promise<void> => {
      this.#endedBy ??= endedBy;
      batch.results[runnable.index] = resultContent(runnable.call.callId, result);
      if (result.isError) this.#counts.failed(runnable.tool);
      return this.#sender?.send();
    };
    // Siblings in flight are let go at once; the first failure is the one that counts.
    const fail = (error: unknown): void => gate.abort(error);
    return runBatch(runnable, this.#settings.maxConcurrency, (call) => {
      if (gate.aborted) return;
      batch.started[call.index] = true;
      const invoked = invokeFunction(scope, call, this.#onions.function);
      if (invoked instanceof Promise) {
        return invoked.then((settled) => settle(call, settled)).then(undefined, fail);
      }
      return settle(call, invoked)?.then(undefined, fail);
    });
  }

  /** Answers a call that does not run. */
  #refuse(batch: OpenBatch, index: number, result: ToolResult): void {
    const call = batch.calls[index];
    if (call === undefined) return;
    batch.results[index] = resultContent(call.callId, result);
    tellRefused(this.#run, call, result);
  }

  /** A batch failed when every call did that was not denied; a denial alone is neither. */
  #countFailure(batch: OpenBatch): void {
    const judged = batch.results.filter((result) => result?.error?.code !== "approval_denied");
    if (judged.length === 0) return;
    const failed = judged.every((result) => result?.isError === true);
    this.#failedBatches = failed ? this.#failedBatches + 1 : 0;
  }

  #limit(): LimitName | undefined {
    const enough = this.#failedBatches >= Math.max(1, this.#settings.maxConsecutiveErrors);
    return enough ? "maxConsecutiveErrors" : this.#run.budget.exhausted();
  }

  /** Puts the batch into the log; what of it the consumer has not seen is sent before. */
  #closeBatch(batch: OpenBatch, held: boolean): void | Promise<void> {
    const usage = this.#run.takeChildUsage();
    this.#usage = addUsage(this.#usage, usage);
    if (this.#sender) return this.#sendRest(this.#sender, batch, held, usage);
    this.#log.close(held);
  }

  async #sendRest(
    sender: ResultSender,
    batch: OpenBatch,
    held: boolean,
    usage: Usage | undefined,
  ): Promise<void> {
    await sender.send(true);
    if (usage) await this.#emit?.({ type: "finish", messageId: batch.resultsId, usage });
    this.#log.close(held);
  }

  /** The closing call at a limit: same tools, so that prompt caches hold, but none may be called. */
  async #close(limit: LimitName): Promise<ChatResponse> {
    const messages = await this.#ask("none");
    await this.#addAnswered(messages, callsIn(messages), notRun(limit));
    if (!messages.some(isVisible)) await this.#addFallback(limit);
    return this.#done("limit", { limit });
  }

  /** A chat handler has ended the run with a response of its own. */
  async #end(
    messages: readonly Message[],
    calls: readonly FunctionCallContent[],
    endedBy: string,
  ): Promise<ChatResponse> {
    const result = errorResult({ code: "run_ended", message: "not run: the run was ended." });
    await this.#addAnswered(messages, calls, result);
    return this.#done("ended", { endedBy });
  }

  /** Puts messages into the log of which no call runs. */
  async #addAnswered(
    messages: readonly Message[],
    calls: readonly FunctionCallContent[],
    result: ToolResult,
  ): Promise<void> {
    if (calls.length === 0) return this.#log.add(messages);
    const batch = this.#log.open(messages, calls);
    for (const index of calls.keys()) this.#refuse(batch, index, result);
    this.#sender = this.#emit && new ResultSender(batch, this.#emit);
    await this.#closeBatch(batch, false);
  }

  /** Time is up: nothing more is asked; what has finished is kept and the rest says so. */
  async #endOutOfTime(): Promise<ChatResponse> {
    this.#run.reopen();
    const batch = this.#log.interrupt();
    if (batch) await this.#closeBatch(batch, false);
    else await this.#model.drop();
    await this.#addFallback("maxDurationMs");
    return this.#done("limit", { limit: "maxDurationMs" });
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

  #done(outcome: Outcome, why: Pick<ChatResponse, "limit" | "endedBy"> = {}): ChatResponse {
    const { last, conversationId } = this.#model;
    return {
      messages: this.#log.added,
      ...(last?.finishReason !== undefined && { finishReason: last.finishReason }),
      ...(this.#usage && { usage: this.#usage }),
      ...(last?.responseId !== undefined && { responseId: last.responseId }),
      ...(conversationId !== undefined && { conversationId }),
      ...(last?.model !== undefined && { model: last.model }),
      ...(last?.usage && { lastUsage: last.usage }),
      outcome,
      ...why,
    };
  }
}

function callsIn(messages: readonly Message[]): readonly FunctionCallContent[] {
  const [only] = messages;
  return messages.length === 1 && only ? callsOf(only) : messages.flatMap(callsOf);
}

/** Whether a message says something to a person; reasoning and blank text do not. */
function isVisible(message: Message): boolean {
  return message.contents.some((content) => {
    if (content.type === "text") return content.text.trim() !== "";
    return content.type === "data" || content.type === "uri" || content.type === "error";
  });
}
