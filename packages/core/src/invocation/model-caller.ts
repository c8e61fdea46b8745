import type { ChatClient, ChatRequest, ChatResponse } from "../chat/chat-client.js";
import type { ChatOptions, ToolChoice } from "../chat/chat-options.js";
import { ChatClientError } from "../errors/chat-client-error.js";
import { ConfigurationError } from "../errors/configuration-error.js";
import { isA, messageOf } from "../errors/thrown.js";
import { TunicError } from "../errors/tunic-error.js";
import type { Message } from "../messages/message.js";
import type { Update } from "../messages/update.js";
import type { Run } from "../run/run-context.js";
import type { Tool } from "../tools/tool.js";
import type { ToolList } from "../tools/tool-list.js";
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
  readonly #client: ChatClient;
  readonly #base: ChatOptions;
  readonly #run: Run;
  readonly #log: RunLog;
  readonly #tools: ToolList;
  readonly #emit: ((update: Update) => void | Promise<void>) | undefined;
  readonly #entrance: Entrance;
  #round: StreamedRound | undefined;

  constructor(
    client: ChatClient,
    request: ChatRequest,
    run: Run,
    log: RunLog,
    tools: ToolList,
    emit: ((update: Update) => void | Promise<void>) | undefined,
  ) {
    this.#client = client;
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
    const trip = run.observed ? new ObservedTrip(run, messages) : undefined;
    run.rounds++;
    // Without anybody who could stop the run there is no signal to make: it is not cheap.
    const stoppable = run.gate.armed && { signal: run.signal };
    const request = { messages, options, run, ...stoppable };
    try {
      const entered =
        this.#emit === undefined
          ? this.#enter(await this.#whole(request))
          : await this.#streamed(request, this.#emit);
      trip?.completed(this.last);
      return entered;
    } catch (thrown) {
      // What the client still sends after its failure belongs to nobody.
      this.#round?.close();
      const error = run.gate.aborted ? run.gate.reason : asClientError(thrown);
      trip?.failed(error);
      throw error;
    }
  }

  /** Takes back what was streamed of an answer that never got whole. */
  async drop(): Promise<void> {
    await this.#round?.drop();
  }

  #whole(request: ChatRequest): Promise<ChatResponse> {
    const { gate } = this.#run;
    const asked = this.#asked(request);
    // Where nobody can stop the run, there is nothing to wait behind.
    return gate.armed ? gate.pass(asked) : asked;
  }

  /** A client written without types may return no promise; of a promise this is the same one. */
  #asked(request: ChatRequest): Promise<ChatResponse> {
    return Promise.resolve(this.#client.getResponse(request));
  }

  #enter(response: ChatResponse): readonly Message[] {
    this.#take(response);
    return enterResponse(response, this.#entrance, this.#log.messageIds);
  }

  async #streamed(
    request: ChatRequest,
    emit: (update: Update) => void | Promise<void>,
  ): Promise<readonly Message[]> {
    const round = new StreamedRound(this.#entrance, this.#log.messageIds, emit);
    this.#round = round;
    const asked = this.#asked({ ...request, onUpdate: round.receive });
    const response = await this.#run.gate.pass(asked);
    this.#take(response);
    return round.end(response);
  }

  #take(response: ChatResponse): void {
    this.last = response;
    if (response?.conversationId !== undefined) this.conversationId = response.conversationId;
  }

  /** The options of a round; the same object as long as nothing has changed. */
  #roundOptions(choice: ToolChoice | undefined): ChatOptions {
    const tools = this.#tools.current;
    const some = tools.length > 0;
    const known = this.options;
    const same =
      known?.toolChoice === (some ? choice : undefined) &&
      (known?.tools ?? noTools) === (some ? tools : noTools) &&
      known?.conversationId === this.conversationId;
    if (known && same) return known;
    const { tools: _tools, toolChoice: _choice, conversationId: _id, ...rest } = this.#base;
    this.options = {
      ...rest,
      ...(some && { tools }),
      ...(some && choice !== undefined && { toolChoice: choice }),
      ...(this.conversationId !== undefined && { conversationId: this.conversationId }),
    };
    return this.options;
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

/** Whatever a chat client throws, the run rejects with an error that programs can read. */
function asClientError(thrown: unknown): unknown {
  if (isA(thrown, TunicError) || isA(thrown, ConfigurationError)) return thrown;
  const message = `The chat client failed: ${messageOf(thrown)}`;
  return new ChatClientError("unknown", message, { cause: thrown });
}

const noTools: readonly Tool[] = [];
