import type {
  ChatClient,
  ChatClientMetadata,
  ChatRequest,
  ChatResponse,
  Outcome,
} from "../chat/chat-client.js";
import { checkChatOptions, checkToolChoice, type ToolChoice } from "../chat/chat-options.js";
import type { FunctionCallContent } from "../messages/content.js";
import { openCalls } from "../messages/log.js";
import { callsOf, type Message } from "../messages/message.js";
import { type Update, updatesOf } from "../messages/update.js";
import { addUsage, totalTokens, type Usage } from "../messages/usage.js";
import type { LimitName } from "../run/budget.js";
import { conductRun } from "../run/conduct-run.js";
import type { RunEnvironment } from "../run/environment.js";
import { Run } from "../run/run-context.js";
import type { Tool, ToolResult } from "../tools/tool.js";
import { ToolList } from "../tools/tool-list.js";
import {
  type FunctionInvocationConfiguration,
  type InvocationSettings,
  invocationSettings,
} from "./function-invocation-configuration.js";
import { invokeFunction, tellRefused } from "./invoke-function.js";
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
  readonly configuration: FunctionInvocationConfiguration;
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
    this.configuration = configuration;
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

/** One run of the loop. Reads from top to bottom. */
class Invocation {
  readonly #settings: InvocationSettings;
  readonly #request: ChatRequest;
  readonly #run: Run;
  readonly #log: RunLog;
  readonly #tools: ToolList;
  readonly #model: ModelCaller;
  readonly #counts = new ToolCounts();
  readonly #emit: ((update: Update) => void | Promise<void>) | undefined;
  #sender: ResultSender | undefined;
  #choice: ToolChoice | undefined;
  #failedBatches = 0;
  #over = false;
  #usage: Usage | undefined;

  constructor(layer: FunctionInvocationLayer, request: ChatRequest, run: Run) {
    this.#settings = layer.settings;
    this.#request = request;
    this.#run = run;
    this.#log = new RunLog(run, request.messages);
    this.#tools = new ToolList(request.options.tools);
    this.#choice = request.options.toolChoice;
    this.#emit = request.onUpdate && pusher(run, request.onUpdate);
    this.#model = new ModelCaller(layer.client, request, run, this.#log, this.#tools, this.#emit);
    run.journal = this.#log;
  }

  /** The whole turn, under the time limit where there is one. */
  async go(): Promise<ChatResponse> {
    const { maxDurationMs } = this.#settings;
    const timeLimit = maxDurationMs && startTimeLimit(this.#run, maxDurationMs);
    try {
      return await this.#turn();
    } catch (error) {
      if (!timeLimit || error !== timeLimit.reason) throw error;
      return await this.#endOutOfTime().finally(() => {
        // What was abandoned finds the run stopped, whenever it looks.
        this.#run.gate.abort(error);
      });
    } finally {
      if (timeLimit) timeLimit.cancel();
      this.#over = true;
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
      if (calls.length === 0) {
        this.#log.add(messages);
        return this.#done("completed");
      }
      const stillOpen = await this.#runCalls(messages, calls);
      if (stillOpen) return this.#done("paused");
    }
  }

  async #ask(choice: ToolChoice | undefined): Promise<readonly Message[]> {
    const messages = await this.#model.ask(choice);
    const usage = this.#model.last?.usage;
    if (usage) {
      this.#usage = addUsage(this.#usage, usage);
      this.#run.parent?.addChildUsage(usage);
      this.#run.budget.spendTokens(totalTokens(usage));
    }
    return messages;
  }

  /** Judges the whole batch, runs what may run, answers every call. Returns whether calls stay open. */
  async #runCalls(
    messages: readonly Message[],
    calls: readonly FunctionCallContent[],
  ): Promise<boolean> {
    const { gate } = this.#run;
    const batch = this.#log.open(messages, calls);
    const verdicts = judgeBatch(calls, {
      tools: this.#model.options?.tools ?? [],
      cut: this.#model.last?.finishReason === "length",
      terminateOnUnknownCalls: this.#settings.terminateOnUnknownCalls,
      forbidden: this.#choice === "none",
    });
    const judged = verdicts instanceof Promise ? await gate.pass(verdicts) : verdicts;
    const runnable: RunnableCall[] = [];
    let stillOpen = false;
    for (let index = 0; index < judged.length; index++) {
      const verdict = admit(judged[index] as JudgedCall, this.#run.budget, this.#counts);
      if (verdict.kind === "run") runnable.push(verdict);
      else if (verdict.kind === "open") stillOpen = true;
      else this.#refuse(batch, index, verdict.result);
    }
    this.#sender = this.#emit && new ResultSender(batch, this.#emit);
    if (this.#sender) await this.#sender.send();
    const running = this.#runAll(batch, runnable);
    if (running !== undefined) await running;
    gate.throwIfAborted();
    if (!stillOpen) this.#countFailure(batch);
    const closing = this.#closeBatch(batch, this.#model.last?.conversationId !== undefined);
    if (closing !== undefined) await closing;
    return stillOpen;
  }

  #runAll(batch: OpenBatch, runnable: readonly RunnableCall[]): void | Promise<void> {
    const { gate } = this.#run;
    const scope = {
      run: this.#run,
      gate,
      tools: this.#tools,
      iteration: this.#run.rounds,
      messages: this.#model.seen,
      includeDetailedErrors: this.#settings.includeDetailedErrors,
      // What an abandoned call still has to say is nobody's any more.
      emit:
        this.#emit &&
        ((update: Update) => (this.#over || gate.aborted ? undefined : this.#emit?.(update))),
    };
    const settle = (runnable: RunnableCall, result: ToolResult): void | Promise<void> => {
      batch.results[runnable.index] = resultContent(runnable.call.callId, result);
      if (result.isError) this.#counts.failed(runnable.tool);
      return this.#sender?.send();
    };
    // Siblings in flight are let go at once; the first failure is the one that counts.
    const fail = (error: unknown): void => gate.abort(error);
    return runBatch(runnable, this.#settings.maxConcurrency, (call) => {
      if (gate.aborted) return;
      batch.started[call.index] = true;
      const result = invokeFunction(scope, call);
      if (result instanceof Promise) {
        return result.then((settled) => settle(call, settled)).then(undefined, fail);
      }
      const sent = settle(call, result);
      return sent?.then(undefined, fail);
    });
  }

  /** Answers a call that does not run. */
  #refuse(batch: OpenBatch, index: number, result: ToolResult): void {
    const call = batch.calls[index];
    if (call === undefined) return;
    batch.results[index] = resultContent(call.callId, result);
    tellRefused(this.#run, call, result);
  }

  #countFailure(batch: OpenBatch): void {
    const failed = batch.results.every((result) => result?.isError === true);
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
    if (usage)
      await this.#emit?.({ type: "finish", messageId: batch.resultsId, usage, ...this.#ending() });
    this.#log.close(held);
  }

  /** The closing call at a limit: same tools, so that prompt caches hold, but none may be called. */
  async #close(limit: LimitName): Promise<ChatResponse> {
    const messages = await this.#ask("none");
    const calls = callsIn(messages);
    if (calls.length === 0) this.#log.add(messages);
    else {
      const batch = this.#log.open(messages, calls);
      for (const index of calls.keys()) this.#refuse(batch, index, notRun(limit));
      this.#sender = this.#emit && new ResultSender(batch, this.#emit);
      await this.#closeBatch(batch, false);
    }
    if (!messages.some(isVisible)) await this.#addFallback(limit);
    return this.#done("limit", limit);
  }

  /** Time is up: nothing more is asked; what has finished is kept and the rest says so. */
  async #endOutOfTime(): Promise<ChatResponse> {
    this.#run.reopen();
    const batch = this.#log.interrupt();
    if (batch) await this.#closeBatch(batch, false);
    else await this.#model.drop();
    await this.#addFallback("maxDurationMs");
    return this.#done("limit", "maxDurationMs");
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
    for (const update of updatesOf(message, this.#ending())) await this.#emit?.(update);
  }

  /** How the last answer ended; what is streamed after it says the same. */
  #ending(): Pick<ChatResponse, "finishReason" | "responseId"> {
    const { finishReason, responseId } = this.#model.last ?? {};
    return {
      ...(finishReason !== undefined && { finishReason }),
      ...(responseId !== undefined && { responseId }),
    };
  }

  #done(outcome: Outcome, limit?: LimitName): ChatResponse {
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
      ...(limit && { limit }),
    };
  }
}

function callsIn(messages: readonly Message[]): readonly FunctionCallContent[] {
  const [only] = messages;
  return messages.length === 1 && only ? callsOf(only) : openCalls(messages);
}

/** Whether a message says something to a person; reasoning and blank text do not. */
function isVisible(message: Message): boolean {
  return message.contents.some((content) => {
    if (content.type === "text") return content.text.trim() !== "";
    return content.type === "data" || content.type === "uri" || content.type === "error";
  });
}
