import type Anthropic from "@anthropic-ai/sdk";
import { APIError } from "@anthropic-ai/sdk";
import {
  askWithAnswerTool,
  type ChatClient,
  type ChatClientMetadata,
  type ChatRequest,
  type ChatResponse,
  isJsonObject,
  ResponseBuilder,
  type ResponseMetadata,
  readRateLimits,
  type Tool,
  withAbort,
} from "@tunic/core";
import {
  type AnthropicChatClientOptions,
  toSdkClient,
  toSettings,
} from "./anthropic-client-options.js";
import { type FailureContext, toChatClientError } from "./anthropic-errors.js";
import type { ClientSettings } from "./client-settings.js";
import { continued } from "./continued.js";
import { AnswerReader } from "./from-anthropic.js";
import { postMessage } from "./post-message.js";
import { answerForm } from "./structured-answer.js";
import { modelOf, toAnthropicRequest, type WireRequest } from "./to-anthropic-request.js";

type Params = Anthropic.MessageCreateParams;

/** A request under the signal that the SDK may see. */
type Asked = ChatRequest & { readonly signal: AbortSignal };

/** How far a request got, for the error it may end with. */
interface Progress {
  phase: FailureContext["phase"];
  requestId?: string;
  headers?: Headers;
  /** What the consumer of the updates threw: theirs, and no failure of the service. */
  thrown?: { readonly error: unknown };
}

/**
 * Claude models through the Messages API.
 *
 * - An answer of more than ten minutes has to be streamed: the SDK gives a whole one no longer.
 * - An answer that the service pauses is asked to go on, and comes out as one message.
 * - Thinking goes back as it came, whatever model made it: the service itself leaves out what the model
 *   that is asked cannot read. Newer models refuse thinking where something before it has changed
 *   (instructions, tools, earlier messages); `thinking.block_binding` in `providerOptions.anthropic`
 *   says what happens then.
 */
export class AnthropicChatClient implements ChatClient {
  readonly metadata: ChatClientMetadata;
  readonly #sdk: Anthropic;
  readonly #settings: ClientSettings;

  /** @throws ConfigurationError for unknown or wrong options, two sources of one setting, or no key. */
  constructor(options: AnthropicChatClientOptions) {
    this.#sdk = toSdkClient(options);
    this.#settings = toSettings(options);
    this.metadata = { provider: "anthropic", defaultModel: options.model };
  }

  /** @throws ConfigurationError `invalid_tool` or `tool_name_collision` for tools that Anthropic would refuse. */
  checkTools(tools: readonly Tool[]): void {
    this.#settings.tools.convert(tools);
  }

  /**
   * One model round trip; streamed when the request has an `onUpdate`.
   *
   * @throws ChatClientError when the service or the way to it fails, or an option has no form there.
   * @throws ConfigurationError for tools it would refuse and settings given twice.
   */
  async getResponse(request: ChatRequest): Promise<ChatResponse> {
    request.signal?.throwIfAborted();
    const { responseFormat } = request.options;
    if (responseFormat) {
      const { structuredOutputs: chosen } = this.#settings;
      const model = modelOf(request.options, this.#settings);
      if (answerForm(responseFormat, model, chosen, request, this) === "tool") {
        return await askWithAnswerTool(request, (asked) => this.#answer(asked));
      }
    }
    return await this.#answer(request);
  }

  async #answer(request: ChatRequest): Promise<ChatResponse> {
    const wire = toAnthropicRequest(request, this.#settings);
    return await withAbort(request.signal, (signal) => this.#ask(wire, { ...request, signal }));
  }

  async #ask(wire: WireRequest, request: Asked): Promise<ChatResponse> {
    const progress: Progress = { phase: "asking" };
    const now = (): number => request.run?.now() ?? Date.now();
    const reader = new AnswerReader(new ResponseBuilder(withNote(request, progress)), wire);
    try {
      await this.#readAll(wire, reader, request, progress);
      return await reader.finish(toMetadata(progress, now()));
    } catch (error) {
      if (progress.thrown && progress.thrown.error === error) throw error;
      const { phase, requestId } = progress;
      const { baseURL } = this.#sdk;
      throw toChatClientError(error, { phase, requestId, now: now(), baseURL });
    }
  }

  /** Reads an answer and, while the service pauses, what follows it. */
  async #readAll(
    { params, betas }: WireRequest,
    reader: AnswerReader,
    request: Asked,
    progress: Progress,
  ): Promise<void> {
    const read = request.onUpdate ? this.#streamed : this.#whole;
    let next: Params | undefined = params;
    for (let left = this.#settings.maxContinuations; next; left--) {
      progress.phase = "asking";
      await read.call(this, next, betas, reader, request.signal, progress);
      await reader.endAnswer(progress.requestId);
      request.signal.throwIfAborted();
      next = left > 0 && reader.paused ? continued(params, reader) : undefined;
      if (next) reader.goOn();
    }
  }

  async #whole(
    params: Params,
    betas: readonly string[],
    reader: AnswerReader,
    signal: AbortSignal,
    progress: Progress,
  ): Promise<void> {
    const posted = await postMessage<Anthropic.Message>(
      this.#sdk,
      { ...params, stream: false },
      betas,
      signal,
    );
    noteResponse(progress, posted);
    await readWhole(posted.data, posted.response, reader, progress);
  }

  async #streamed(
    params: Params,
    betas: readonly string[],
    reader: AnswerReader,
    signal: AbortSignal,
    progress: Progress,
  ): Promise<void> {
    const posted = await postMessage<AsyncIterable<Anthropic.MessageStreamEvent>>(
      this.#sdk,
      { ...params, stream: true },
      betas,
      signal,
    );
    noteResponse(progress, posted);
    const { data, response } = posted;
    // What the server says it sends counts, not what was asked for: some cannot stream.
    if (response.headers.get("content-type")?.includes("json")) {
      const answer = await response.json();
      signal.throwIfAborted();
      await readWhole(answer, response, reader, progress);
      return;
    }
    progress.phase = "streaming";
    try {
      for await (const event of data) {
        // The stream ends without an error when it is aborted; nothing may be sent after that.
        signal.throwIfAborted();
        progress.phase = "reading";
        await reader.event(event);
        progress.phase = "streaming";
      }
    } catch (error) {
      // A connection that breaks behind the end of the answer has taken nothing with it.
      if (!reader.stopped || progress.phase !== "streaming") throw error;
    }
    signal.throwIfAborted();
  }
}

function noteResponse(
  progress: Progress,
  { request_id, response }: { request_id: string | null | undefined; response: Response },
): void {
  if (request_id) progress.requestId = request_id;
  progress.headers = response.headers;
}

function toMetadata({ requestId, headers }: Progress, now: number): ResponseMetadata | undefined {
  const rateLimits = headers && readRateLimits(headers, now);
  if (requestId === undefined && rateLimits === undefined) return undefined;
  return { ...(requestId !== undefined && { requestId }), ...(rateLimits && { rateLimits }) };
}

async function readWhole(
  answer: unknown,
  { headers }: Response,
  reader: AnswerReader,
  progress: Progress,
): Promise<void> {
  // Some servers send an error with status 200.
  if (isJsonObject(answer) && "error" in answer) {
    throw new APIError(undefined, answer, undefined, headers);
  }
  progress.phase = "reading";
  // What it is, its reader finds out.
  await reader.message(answer as Anthropic.Message);
}

/** The request with an `onUpdate` that notes down what it threw. */
function withNote(request: Asked, progress: Progress): Asked {
  const { onUpdate } = request;
  if (onUpdate === undefined) return request;
  const note = (error: unknown): never => {
    progress.thrown = { error };
    throw error;
  };
  return {
    ...request,
    onUpdate(update) {
      try {
        const room: unknown = onUpdate(update);
        return room instanceof Promise ? room.catch(note) : undefined;
      } catch (error) {
        return note(error);
      }
    },
  };
}
