import type { ChatClient, ChatRequest, ChatResponse, Outcome } from "../chat/chat-client.js";
import { checkToolChoice, type ToolChoice } from "../chat/chat-options.js";
import type { FunctionCallContent } from "../messages/content.js";
import { openCalls } from "../messages/log.js";
import { callsOf, type Message } from "../messages/message.js";
import { type Update, updatesOf } from "../messages/update.js";
import { addUsage, totalTokens, type Usage } from "../messages/usage.js";
import type { LimitName } from "../run/budget.js";
import type { Run } from "../run/run.js";
import { ToolList } from "../tools/tool-list.js";
import { notRun } from "./admit-calls.js";
import type { InvocationSettings } from "./function-invocation-configuration.js";
import type { InvocationOnions } from "./invocation-onions.js";
import { answersSomething, inputStart, isLeftOpen, waitsForPeople } from "./left-open.js";
import { ModelCaller } from "./model-caller.js";
import type { BatchEnd, RoundTerms } from "./round-terms.js";
import { CallRunner } from "./run-calls.js";
import { notRunAtEnd, RunLog } from "./run-log.js";
import { startTimeLimit } from "./time-limit.js";

/** What all runs of a loop share. */
export interface LoopParts {
  readonly client: ChatClient;
  readonly settings: InvocationSettings;
  readonly onions: InvocationOnions;
}

/** One run of the loop. Reads from top to bottom. */
export class Invocation {
  readonly #settings: InvocationSettings;
  readonly #request: ChatRequest;
  readonly #run: Run;
  readonly #log: RunLog;
  readonly #tools: ToolList;
  readonly #model: ModelCaller;
  readonly #calls: CallRunner;
  readonly #emit: ((update: Update) => void | Promise<void>) | undefined;
  #choice: ToolChoice | undefined;
  #usage: Usage | undefined;

  constructor(
    layer: LoopParts,
    request: ChatRequest,
    run: Run,
    emit: ((update: Update) => void | Promise<void>) | undefined,
  ) {
    this.#settings = layer.settings;
    this.#request = request;
    this.#run = run;
    this.#log = new RunLog(run, request.messages);
    this.#tools = new ToolList(request.options.tools);
    this.#choice = request.options.toolChoice;
    this.#emit = emit;
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
    this.#calls = new CallRunner(layer, run, this.#log, this.#tools, emit);
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
      this.#calls.close();
    }
  }

  async #turn(): Promise<ChatResponse> {
    checkToolChoice(this.#choice, this.#tools.current);
    const from = inputStart(this.#request.messages, this.#run.inputFrom);
    const settled = this.#isSettled(from) ? undefined : await this.#settle(from);
    if (settled) return settled;
    for (;;) {
      const limit = this.#limit();
      if (limit) return this.#close(limit);
      this.#run.budget.spendIteration();
      const messages = await this.#ask(this.#choice);
      this.#fallBack();
      const calls = callsIn(messages);
      const { endedBy } = this.#model;
      if (endedBy !== undefined) return this.#end(messages, calls, endedBy);
      if (calls.length === 0) return this.#finish(messages);
      const end = await this.#calls.run(messages, calls, this.#terms());
      const done = this.#stop(end);
      if (done) return done;
    }
  }

  /** The model has said all it has to say; its service's own questions wait for the caller. */
  #finish(messages: readonly Message[]): ChatResponse {
    this.#log.add(messages);
    return this.#done(this.#model.asked ? "paused" : "completed");
  }

  /** How the run ends after a batch, if it does. */
  #stop({ open, endedBy }: BatchEnd): ChatResponse | undefined {
    if (endedBy !== undefined) return this.#done("ended", { endedBy });
    return open || this.#model.asked ? this.#done("paused") : undefined;
  }

  /** Whether nothing of an earlier run has to be seen to before the model is asked. */
  #isSettled(from: number): boolean {
    const { messages } = this.#request;
    if (from < messages.length) return !answersSomething(messages, from);
    return !waitsForPeople(messages, this.#run.session);
  }

  /** What came in may answer what an earlier run has asked. Returns how the run ends, if it does. */
  async #settle(from: number): Promise<ChatResponse | undefined> {
    const { messages: log } = this.#request;
    if (from === log.length) return this.#done("paused");
    // Loaded by the first run that goes on with something: most begin anew.
    const { settleAnswers } = await this.#run.gate.pass(import("./approval-flow.js"));
    const { waits, endedBy, resumed } = await settleAnswers({
      log,
      from,
      run: this.#run,
      settings: this.#settings,
      calls: this.#calls,
      terms: this.#resumeTerms(),
    });
    // The choice was for the round that asked: forced once more, the model would ask once more.
    if (resumed) this.#fallBack();
    if (endedBy !== undefined) return this.#done("ended", { endedBy });
    const left = waits || isLeftOpen([...log, ...this.#log.added], from);
    return left ? this.#done("paused") : undefined;
  }

  /** What the calls of an earlier run are judged by: the tools as they are now. */
  #resumeTerms(): RoundTerms {
    const { current: tools } = this.#tools;
    const seen = this.#log.view();
    return { tools, cut: false, forbidden: false, seen, held: false, end: noEnding };
  }

  /** After the first round the model may stop: forced for ever, it could never answer. */
  #fallBack(): void {
    if (this.#choice !== "none" && this.#choice !== undefined) this.#choice = "auto";
  }

  async #ask(choice: ToolChoice | undefined): Promise<readonly Message[]> {
    const messages = await this.#model.ask(choice);
    const usage = this.#model.last?.usage;
    if (usage) {
      this.#usage = addUsage(this.#usage, usage);
      this.#run.parent?.addChildUsage(usage);
      this.#run.budget.spendTokens(totalTokens(usage));
    }
    const children = this.#run.takeChildUsage();
    if (children) await this.#addChildren(children, messages);
    return messages;
  }

  /** A chat handler has had runs of its own: their tokens are the round's. */
  async #addChildren(children: Usage, messages: readonly Message[]): Promise<void> {
    this.#usage = addUsage(this.#usage, children);
    const messageId = messages.at(-1)?.id;
    if (messageId === undefined || this.#emit === undefined) return;
    const usage = addUsage(this.#model.last?.usage, children);
    await this.#emit({ type: "finish", messageId, ...this.#ending(), ...(usage && { usage }) });
  }

  /** What the calls of the last answer are judged by. */
  #terms(): RoundTerms {
    return {
      tools: this.#model.options?.tools ?? [],
      cut: this.#model.last?.finishReason === "length",
      forbidden: this.#choice === "none",
      seen: this.#model.seen,
      held: this.#model.last?.conversationId !== undefined,
      end: this.#emit ? this.#ending() : noEnding,
    };
  }

  #limit(): LimitName | undefined {
    const enough = this.#calls.failedBatches >= Math.max(1, this.#settings.maxConsecutiveErrors);
    return enough ? "maxConsecutiveErrors" : this.#run.budget.exhausted();
  }

  /** The closing call at a limit: same tools, so that prompt caches hold, but none may be called. */
  async #close(limit: LimitName): Promise<ChatResponse> {
    const messages = await this.#ask("none");
    await this.#calls.answer(messages, callsIn(messages), notRun(limit), this.#terms());
    if (!messages.some(isVisible)) await this.#addFallback(limit);
    return this.#done("limit", { limit });
  }

  /** A chat handler has ended the run with a response of its own. */
  async #end(
    messages: readonly Message[],
    calls: readonly FunctionCallContent[],
    endedBy: string,
  ): Promise<ChatResponse> {
    await this.#calls.answer(messages, calls, notRunAtEnd(), this.#terms());
    return this.#done("ended", { endedBy });
  }

  /** Time is up: nothing more is asked; what has finished is kept and the rest says so. */
  async #endOutOfTime(): Promise<ChatResponse> {
    this.#run.reopen();
    const interrupted = await this.#calls.interrupt(this.#terms());
    if (!interrupted) await this.#model.drop();
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
    const usage = this.#run.takeChildUsage();
    this.#usage = addUsage(this.#usage, usage);
    const ending = { ...this.#ending(), ...(usage && { usage }) };
    for (const update of updatesOf(message, ending)) await this.#emit?.(update);
  }

  /** How the last answer ended; what is streamed after it says the same. */
  #ending(): Pick<ChatResponse, "finishReason" | "responseId"> {
    const { finishReason, responseId } = this.#model.last ?? {};
    return {
      ...(finishReason !== undefined && { finishReason }),
      ...(responseId !== undefined && { responseId }),
    };
  }

  #done(outcome: Outcome, why: Pick<ChatResponse, "limit" | "endedBy"> = {}): ChatResponse {
    const { last, conversationId } = this.#model;
    const usage = addUsage(this.#usage, this.#calls.usage);
    return {
      messages: this.#log.added,
      ...(last?.finishReason !== undefined && { finishReason: last.finishReason }),
      ...(last?.rawFinishReason !== undefined && { rawFinishReason: last.rawFinishReason }),
      ...(usage && { usage }),
      ...(last?.responseId !== undefined && { responseId: last.responseId }),
      ...(conversationId !== undefined && { conversationId }),
      ...(last?.model !== undefined && { model: last.model }),
      ...(last?.metadata && { metadata: last.metadata }),
      ...(last?.usage && { lastUsage: last.usage }),
      outcome,
      ...why,
    };
  }
}

/** Where nothing is streamed, nobody is told how the answer ended. */
const noEnding = {};

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
