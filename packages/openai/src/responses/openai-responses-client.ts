import {
  type ChatClient,
  type ChatClientMetadata,
  type ChatRequest,
  type ChatResponse,
  ResponseBuilder,
  type Tool,
  withAbort,
} from "@tunic/core";
import type OpenAI from "openai";
import type { ResponseCreateParamsBase } from "openai/resources/responses/responses";
import { filteredAnswer } from "../filtered-answer.js";
import { openAnswerOf } from "../open-answer.js";
import { filteredInput } from "../openai-errors.js";
import { notStrictNotices } from "../strict/strict-mode.js";
import { namesOnWire } from "../tool-names.js";
import { answerWords, ResponseReader } from "./from-responses.js";
import {
  type OpenAIResponsesClientOptions,
  readResponsesOptions,
} from "./responses-client-options.js";
import { type ResponsesDefaults, toResponsesRequest } from "./to-responses-request.js";
import { toOpenAIResponsesTools } from "./to-responses-tools.js";

/** Asks OpenAI's Responses API, or a service that speaks the same protocol. */
export class OpenAIResponsesClient implements ChatClient {
  readonly metadata: ChatClientMetadata;
  readonly #client: OpenAI;
  readonly #defaults: ResponsesDefaults;

  /**
   * @throws ConfigurationError for an unknown option, a missing model or key, or two sources of one
   * setting.
   */
  constructor(options: OpenAIResponsesClientOptions) {
    const { sdk, ...settings } = readResponsesOptions(options);
    this.#client = sdk;
    this.metadata = { provider: "openai", defaultModel: settings.model };
    this.#defaults = { ...settings, onNotStrict: notStrictNotices() };
  }

  /**
   * One model round trip; with `onUpdate` it is streamed.
   *
   * @throws ChatClientError when the service fails, or cannot take what it would be sent.
   * @throws ConfigurationError when the options contradict each other.
   * @throws The signal's reason, as it is, after an abort.
   */
  async getResponse(request: ChatRequest): Promise<ChatResponse> {
    request.signal?.throwIfAborted();
    const body = toResponsesRequest(request, this.#defaults);
    return await withAbort(request.signal, (signal) => this.#ask(request, body, signal));
  }

  /**
   * Says early what the service would refuse.
   *
   * @throws ConfigurationError naming the tool and what to write instead.
   */
  checkTools(tools: readonly Tool[]): void {
    toOpenAIResponsesTools(tools, { strict: this.#defaults.strict });
  }

  async #ask(
    request: ChatRequest,
    body: ResponseCreateParamsBase,
    signal: AbortSignal,
  ): Promise<ChatResponse> {
    const builder = new ResponseBuilder(request);
    let reader: ResponseReader | undefined;
    const send = () => this.#client.responses.create(body, { signal }).asResponse();
    try {
      const { chunks, surroundings } = await openAnswerOf(
        this.#client,
        send,
        body.stream === true,
        {
          signal,
          now: () => request.run?.now() ?? Date.now(),
          finished: () => reader?.finished === true,
          words: answerWords,
        },
      );
      const { store, origin } = this.#defaults;
      const names = namesOnWire(request.options.tools ?? []);
      reader = new ResponseReader(builder, surroundings, { names, store, origin });
      for await (const chunk of chunks) {
        // What has arrived already must not be shown any more.
        signal.throwIfAborted();
        await reader.read(chunk);
      }
      signal.throwIfAborted();
      return await reader.finish();
    } catch (error) {
      const reason = reader === undefined ? filteredInput(error) : undefined;
      if (reason === undefined || signal.aborted) throw error;
      return await filteredAnswer(builder, reason, error);
    }
  }
}
