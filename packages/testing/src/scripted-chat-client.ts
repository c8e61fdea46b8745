import {
  type ChatClient,
  ChatClientError,
  type ChatClientMetadata,
  type ChatOptions,
  type ChatRequest,
  type ChatResponse,
  ConfigurationError,
  checkOptionNames,
  type Message,
  ResponseBuilder,
  type RunEnvironment,
} from "@tunic/core";
import { checkAnswer } from "./check-turn.js";
import { type Piece, piecesOf, type ScriptedAnswer, type ScriptedTurn } from "./scripted-turn.js";

/** How a scripted model behaves where its turns say nothing. */
export interface ScriptedChatClientOptions {
  /** Default provider `scripted`, model `scripted-model`. */
  readonly metadata?: ChatClientMetadata | undefined;
  /** Characters per piece. Default: everything in one piece. */
  readonly chunkSize?: number | undefined;
  /** Milliseconds before each piece. Default 0. */
  readonly delayMs?: number | undefined;
  /** Where the delays pass; needed where there are any. */
  readonly environment?: RunEnvironment | undefined;
}

/** A request as it came in. */
export interface RecordedRequest {
  readonly messages: readonly Message[];
  readonly options: ChatOptions;
  readonly streamed: boolean;
}

const optionNames: ReadonlySet<string> = new Set<keyof ScriptedChatClientOptions>([
  "metadata",
  "chunkSize",
  "delayMs",
  "environment",
]);

type Script = (request: ChatRequest) => ScriptedTurn | Promise<ScriptedTurn>;

/**
 * A chat client that answers from a script, turn by turn, and records what it was asked. It fails
 * with `script_exhausted` when it is asked more often than the script has turns.
 */
export class ScriptedChatClient implements ChatClient {
  readonly metadata: ChatClientMetadata;
  /** Every request, in order. */
  readonly requests: RecordedRequest[] = [];
  readonly #turns: readonly ScriptedTurn[] | Script;
  readonly #options: ScriptedChatClientOptions;

  /**
   * @param turns One for each request, or a function that answers them all, at once or later.
   * @throws ConfigurationError for what is no turn, and for misspelt members of turns and calls.
   */
  constructor(turns: readonly ScriptedTurn[] | Script, options: ScriptedChatClientOptions = {}) {
    checkOptionNames("ScriptedChatClient", options, optionNames);
    if (!Array.isArray(turns) && typeof turns !== "function") {
      throw new ConfigurationError(
        "invalid_option",
        'ScriptedChatClient takes a list of turns, such as ["hello"], or a function.',
      );
    }
    if (options.delayMs !== undefined && options.environment === undefined) {
      throw new ConfigurationError(
        "invalid_option",
        "ScriptedChatClient: delayMs needs an `environment` for time to pass in.",
      );
    }
    if (typeof turns !== "function") {
      for (const [index, turn] of turns.entries()) {
        if (typeof turn !== "function") checkAnswer(turn, `ScriptedChatClient, turn ${index + 1}`);
      }
    }
    this.metadata = options.metadata ?? { provider: "scripted", defaultModel: "scripted-model" };
    this.#turns = turns;
    this.#options = options;
  }

  async getResponse(request: ChatRequest): Promise<ChatResponse> {
    const index = this.requests.length;
    this.requests.push({
      messages: request.messages,
      options: request.options,
      streamed: request.onUpdate !== undefined,
    });
    request.signal?.throwIfAborted();
    const answer = await this.#answer(index, request);
    const builder = new ResponseBuilder(request);
    await this.#play(answer, builder, request);
    const { finishReason, usage, responseId, conversationId, model } = answer;
    return builder.finish({
      finishReason: finishReason ?? (answer.calls?.length ? "tool_calls" : "stop"),
      ...(usage && { usage }),
      ...(responseId !== undefined && { responseId }),
      ...(conversationId !== undefined && { conversationId }),
      ...(model !== undefined && { model }),
    });
  }

  async #answer(index: number, request: ChatRequest): Promise<ScriptedAnswer> {
    const turn = await this.#turn(index, request);
    const answer = typeof turn === "function" ? await turn(request) : turn;
    // The turns of the list were checked when the client was made.
    if (answer !== turn || typeof this.#turns === "function") {
      checkAnswer(answer, `ScriptedChatClient, what the function gave for request ${index + 1}`);
    }
    return typeof answer === "string" ? { text: answer } : answer;
  }

  #turn(index: number, request: ChatRequest): ScriptedTurn | Promise<ScriptedTurn> {
    if (typeof this.#turns === "function") return this.#turns(request);
    const turn = this.#turns[index];
    if (turn !== undefined) return turn;
    throw new ChatClientError(
      "script_exhausted",
      `The model was asked ${counted(index + 1, "time")}; the script has ${counted(this.#turns.length, "turn")}.`,
    );
  }

  async #play(
    answer: ScriptedAnswer,
    builder: ResponseBuilder,
    request: ChatRequest,
  ): Promise<void> {
    const pieces = piecesOf(answer, answer.chunkSize ?? this.#options.chunkSize ?? Infinity);
    const callIds = new Map<number, string>();
    const errorAt = answer.error !== undefined ? (answer.errorAfter ?? 0) : Infinity;
    for (const [index, piece] of pieces.entries()) {
      answer.beforePiece?.(index);
      await this.#wait(answer.delayMs ?? this.#options.delayMs, request.signal);
      request.signal?.throwIfAborted();
      if (index >= errorAt) throw answer.error;
      await play(piece, answer, builder, callIds);
    }
    if (answer.error !== undefined) throw answer.error;
  }

  #wait(ms: number | undefined, signal: AbortSignal | undefined): Promise<void> | undefined {
    const { environment } = this.#options;
    if (!ms || environment === undefined) return undefined;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = environment.setTimer(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, ms);
      signal?.addEventListener("abort", stop, { once: true });
    });
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function play(
  piece: Piece,
  answer: ScriptedAnswer,
  builder: ResponseBuilder,
  callIds: Map<number, string>,
): void | Promise<void> {
  if ("content" in piece) return builder.add(piece.content);
  const call = answer.calls?.[piece.call];
  const known = callIds.get(piece.call);
  const callId = known ?? builder.callId(call?.id);
  callIds.set(piece.call, callId);
  return builder.add({
    type: "function_call",
    callId,
    // The name comes whole, with the first fragment.
    name: known === undefined ? (call?.name ?? "") : "",
    argumentsText: piece.fragment,
  });
}
