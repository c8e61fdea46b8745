import type Anthropic from "@anthropic-ai/sdk";
import { APIError } from "@anthropic-ai/sdk";
import {
  type ChatClient,
  type ChatClientMetadata,
  type ChatRequest,
  type ChatResponse,
  isJsonObject,
  ResponseBuilder,
  type Tool,
  withAbort,
} from "@tunic/core";
import { type AnthropicChatClientOptions, toSdkClient } from "./anthropic-client-options.js";
import { type FailureContext, toChatClientError } from "./anthropic-errors.js";
import { AnswerReader } from "./from-anthropic.js";
import { postMessage } from "./post-message.js";
import { toAnthropicRequest } from "./to-anthropic-request.js";
import { toAnthropicTools } from "./to-anthropic-tools.js";

type Params = Anthropic.MessageCreateParams;

/** A request under the signal that the SDK may see. */
type Asked = ChatRequest & { readonly signal: AbortSignal };

/** How far a request got, for the error it may end with. */
interface Progress {
  phase: FailureContext["phase"];
  requestId?: string;
  /** What the consumer of the updates threw: theirs, and no failure of the service. */
  thrown?: { readonly error: unknown };
}

/**
 * Claude models through the Messages API.
 *
 * An answer of more than ten minutes has to be streamed: the SDK gives a whole one no longer.
 */
export class AnthropicChatClient implements ChatClient {
  readonly metadata: ChatClientMetadata;
  readonly #sdk: Anthropic;
  readonly #model: string;

  /** @throws ConfigurationError for unknown options, two sources of one setting, or no key. */
  constructor(options: AnthropicChatClientOptions) {
    this.#sdk = toSdkClient(options);
    this.#model = options.model;
    this.metadata = { provider: "anthropic", defaultModel: options.model };
  }

  /** @throws ConfigurationError `invalid_tool` for a tool that Anthropic would refuse. */
  checkTools(tools: readonly Tool[]): void {
    toAnthropicTools(tools);
  }

  /**
   * One model round trip; streamed when the request has an `onUpdate`.
   *
   * @throws ChatClientError when the service or the way to it fails, or an option has no form there.
   * @throws ConfigurationError for tools it would refuse and settings given twice.
   */
  async getResponse(request: ChatRequest): Promise<ChatResponse> {
    request.signal?.throwIfAborted();
    const params = toAnthropicRequest(request, this.#model);
    return await withAbort(request.signal, (signal) => this.#ask(params, { ...request, signal }));
  }

  async #ask(params: Params, request: Asked): Promise<ChatResponse> {
    const progress: Progress = { phase: "asking" };
    try {
      return request.onUpdate
        ? await this.#streamed(params, withNote(request, request.onUpdate, progress), progress)
        : await this.#whole(params, request, progress);
    } catch (error) {
      if (progress.thrown && progress.thrown.error === error) throw error;
      const { phase, requestId } = progress;
      const now = request.run?.now() ?? Date.now();
      const { baseURL } = this.#sdk;
      throw toChatClientError(error, { phase, requestId, now, baseURL });
    }
  }

  async #whole(params: Params, request: Asked, progress: Progress): Promise<ChatResponse> {
    const { data, request_id, response } = await postMessage<Anthropic.Message>(
      this.#sdk,
      { ...params, stream: false },
      request.signal,
    );
    if (request_id) progress.requestId = request_id;
    return await readWhole(data, response, request, progress);
  }

  async #streamed(params: Params, request: Asked, progress: Progress): Promise<ChatResponse> {
    const { signal } = request;
    const { data, request_id, response } = await postMessage<
      AsyncIterable<Anthropic.MessageStreamEvent>
    >(this.#sdk, { ...params, stream: true }, signal);
    if (request_id) progress.requestId = request_id;
    // What the server says it sends counts, not what was asked for: some cannot stream.
    if (response.headers.get("content-type")?.includes("json")) {
      const answer = await response.json();
      signal.throwIfAborted();
      return await readWhole(answer, response, request, progress);
    }
    progress.phase = "streaming";
    const reader = new AnswerReader(new ResponseBuilder(request));
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
    return reader.finish(progress.requestId);
  }
}

async function readWhole(
  answer: unknown,
  { headers }: Response,
  request: Asked,
  progress: Progress,
): Promise<ChatResponse> {
  // Some servers send an error with status 200.
  if (isJsonObject(answer) && "error" in answer) {
    throw new APIError(undefined, answer, undefined, headers);
  }
  progress.phase = "reading";
  const reader = new AnswerReader(new ResponseBuilder(request));
  // What it is, its reader finds out.
  await reader.message(answer as Anthropic.Message);
  return reader.finish();
}

/** The request with an `onUpdate` that notes down what it threw. */
function withNote(
  request: Asked,
  onUpdate: NonNullable<ChatRequest["onUpdate"]>,
  progress: Progress,
): Asked {
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
