import type { ChatClient, ChatRequest, ChatResponse } from "../chat/chat-client.js";
import { ChatContext, openChatContext } from "../chat/chat-context.js";
import type { ChatOptions, ToolChoice } from "../chat/chat-options.js";
import { MiddlewareTermination } from "../errors/middleware-termination.js";
import { isA } from "../errors/thrown.js";
import type { Message } from "../messages/message.js";
import type { Update } from "../messages/update.js";
import type { Core } from "../onion/onion.js";
import type { Run } from "../run/run.js";
import type { Tool } from "../tools/tool.js";
import type { ToolList } from "../tools/tool-list.js";
import { asClientError } from "./ask-client.js";
import type { Entrance } from "./enter-message.js";
import { enterResponse, StreamedRound } from "./round.js";
import type { RunLog } from "./run-log.js";

/** Asks the model for one run, round by round, and takes its answers into the log's terms. */
export class ModelCaller {
  /** What the model saw in the last round. */
  seen: readonly Message[] = [];
  /** The options of the last round, as they were sent. */
  options: ChatOptions | undefined;
  /** The last answer, as it came. */
  last: ChatResponse | undefined;
  conversationId: string | undefined;
  /** Who ended the run with the last answer, if somebody did. */
  endedBy: string | undefined;
  readonly #client: ChatClient;
  readonly #onion: Core<ChatContext, ChatResponse> | undefined;
  readonly #base: ChatOptions;
  readonly #run: Run;
  readonly #log: RunLog;
  readonly #tools: ToolList;
  readonly #emit: ((update: Update) => void | Promise<void>) | undefined;
  readonly #entrance: Entrance;
  #round: StreamedRound | undefined;
  #roundBase: ChatOptions | undefined;

  /** @param onion The composed chat onion; absent without chat handlers. */
  constructor(
    client: ChatClient,
    onion: Core<ChatContext, ChatResponse> | undefined,
    request: ChatRequest,
    run: Run,
    log: RunLog,
    tools: ToolList,
    emit: ((update: Update) => void | Promise<void>) | undefined,
  ) {
    this.#client = client;
    this.#onion = onion;
    this.#base = request.options;
    this.conversationId = request.options.conversationId;
    this.#run = run;
    this.#log = log;
    this.#tools = tools;
    this.#emit = emit;
    const { provider } = client.metadata;
    this.#entrance = {
      run,
      provider,
      callIds: log.callIds,
      used: new Set(),
      asked: false,
      variations: new Map(),
    };
  }

  /**
   * One model round trip.
   *
   * @throws ChatClientError for whatever a client throws that is no error of Tunic's; the abort's
   * reason when the run was stopped.
   */
  async ask(choice: ToolChoice | undefined): Promise<readonly Message[]> {
    const run = this.#run;
    run.gate.throwIfAborted();
    const messages = this.#log.view();
    this.seen = messages;
    const options = this.#roundOptions(choice);
    this.options = options;
    const trip = run.observed ? new ObservedTrip(run, messages) : undefined;
    run.rounds++;
    try {
      const entered =
        this.#emit === undefined
          ? this.#enter(await this.#whole(messages, options))
          : await this.#streamed(messages, options, this.#emit);
      trip?.completed(this.last);
      return entered;
    } catch (thrown) {
      if (isA(thrown, MiddlewareTermination) && !run.gate.aborted) {
        const entered = await this.#ended(thrown);
        trip?.completed(this.last);
        return entered;
      }
      this.#round?.close();
      const error = run.gate.aborted ? run.gate.reason : this.#failure(thrown);
      trip?.failed(error);
      throw error;
    }
  }

  /** Under handlers, what a client threw has been seen to; the rest may be the end of a bound. */
  #failure(thrown: unknown): unknown {
    return this.#onion === undefined ? asClientError(thrown) : thrown;
  }

  /** Whether the service has asked about a tool of its own. */
  get asked(): boolean {
    return this.#entrance.asked;
  }

  /** Takes back what was streamed of an answer that never got whole. */
  async drop(): Promise<void> {
    await this.#round?.drop();
  }

  #whole(messages: readonly Message[], options: ChatOptions): Promise<ChatResponse> {
    const { gate } = this.#run;
    const asked = this.#ask(messages, options, undefined);
    // Where nobody can stop the run, there is nothing to wait behind.
    return gate.armed ? gate.pass(asked) : asked;
  }

  #enter(response: ChatResponse): readonly Message[] {
    this.#take(response);
    return enterResponse(response, this.#entrance, this.#log.messageIds);
  }

  async #streamed(
    messages: readonly Message[],
    options: ChatOptions,
    emit: (update: Update) => void | Promise<void>,
  ): Promise<readonly Message[]> {
    const round = new StreamedRound(this.#entrance, this.#log.messageIds, emit);
    this.#round = round;
    const response = await this.#run.gate.pass(this.#ask(messages, options, round));
    this.#take(response);
    return round.end(response);
  }

  /** Through the onion, or straight to the client where there is none. */
  #ask(
    messages: readonly Message[],
    options: ChatOptions,
    round: StreamedRound | undefined,
  ): Promise<ChatResponse> {
    const run = this.#run;
    if (this.#onion === undefined) {
      // Without anybody who could stop the run there is no signal to make: it is not cheap.
      const stoppable = run.gate.armed && { signal: run.signal };
      const streamed = round && { onUpdate: round.emit };
      const request = { messages, options, run, ...stoppable, ...streamed };
      // A client written without types may return no promise; of a promise this is the same one.
      return Promise.resolve(this.#client.getResponse(request));
    }
    const context = openChatContext(run, run.rounds, messages, options, round);
    const { round: state } = ChatContext.passageOf(context);
    return this.#onion(context).then(
      (response) => {
        this.options = state.sent;
        return response;
      },
      (error: unknown) => {
        this.options = state.sent;
        throw error;
      },
    );
  }

  /** An orderly end, by a handler here or around the client, brings its response along. */
  async #ended(ending: MiddlewareTermination): Promise<readonly Message[]> {
    this.endedBy = ending.endedBy ?? "unknown";
    const response = ending.result as ChatResponse;
    if (this.#round === undefined) return this.#enter(response);
    this.#take(response);
    return this.#round.end(response);
  }

  #take(response: ChatResponse): void {
    this.last = response;
    if (response?.conversationId !== undefined) this.conversationId = response.conversationId;
  }

  /** The options of a round; the same object as long as nothing has changed. */
  #roundOptions(choice: ToolChoice | undefined): ChatOptions {
    const tools = this.#tools.current;
    const some = tools.length > 0;
    const known = this.#roundBase;
    const same =
      known?.toolChoice === (some ? choice : undefined) &&
      (known?.tools ?? noTools) === (some ? tools : noTools) &&
      known?.conversationId === this.conversationId;
    if (known && same) return known;
    const { tools: _tools, toolChoice: _choice, conversationId: _id, ...rest } = this.#base;
    this.#roundBase = {
      ...rest,
      ...(some && { tools }),
      ...(some && choice !== undefined && { toolChoice: choice }),
      ...(this.conversationId !== undefined && { conversationId: this.conversationId }),
    };
    return this.#roundBase;
  }
}

/** Tells of the start and the one end of a model round trip. */
class ObservedTrip {
  readonly #run: Run;
  readonly #iteration: number;
  readonly #startedAt: number;
  readonly #waitedBefore: number;

  constructor(run: Run, messages: readonly Message[]) {
    this.#run = run;
    this.#iteration = run.rounds + 1;
    this.#startedAt = run.now();
    this.#waitedBefore = run.waitedMs;
    run.emit("model.start", { iteration: this.#iteration, messages });
  }

  completed(response: ChatResponse | undefined): void {
    this.#run.emit("model.end", {
      ...this.#details(),
      outcome: "completed",
      ...(response?.usage && { usage: response.usage }),
      ...(response?.finishReason !== undefined && { finishReason: response.finishReason }),
    });
  }

  failed(error: unknown): void {
    const outcome = this.#run.gate.aborted ? "aborted" : "failed";
    this.#run.emit("model.end", { ...this.#details(), outcome, error });
  }

  #details(): { iteration: number; durationMs: number } {
    const waited = this.#run.waitedMs - this.#waitedBefore;
    return { iteration: this.#iteration, durationMs: this.#run.now() - this.#startedAt - waited };
  }
}

const noTools: readonly Tool[] = [];
