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
import type { ChatCompletionCreateParamsBase } from "openai/resources/chat/completions";
import { AnswerReader } from "./from-openai.js";
import { openAnswer } from "./open-answer.js";
import { type OpenAIChatClientOptions, sdkClient } from "./sdk-client.js";
import { type RequestDefaults, toRequestBody } from "./to-openai.js";
import { toOpenAITools } from "./to-openai-tools.js";

/** Asks OpenAI's chat completions, or a service that speaks the same protocol. */
export class OpenAIChatClient implements ChatClient {
  readonly metadata: ChatClientMetadata;
  readonly #client: OpenAI;
  readonly #defaults: RequestDefaults;

  /**
   * @throws ConfigurationError for an unknown option, a missing model or key, or two sources of one
   * setting.
   */
  constructor(options: OpenAIChatClientOptions) {
    this.#client = sdkClient(options);
    this.metadata = { provider: "openai", defaultModel: options.model };
    this.#defaults = {
      model: options.model,
      maxTokensMember: isOpenAI(this.#client.baseURL) ? "max_completion_tokens" : "max_tokens",
    };
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
    const body = toRequestBody(request, this.#defaults);
    return await withAbort(request.signal, (signal) => this.#ask(request, body, signal));
  }

  /**
   * Says early what the service would refuse.
   *
   * @throws ConfigurationError naming the tool and what to write instead.
   */
  checkTools(tools: readonly Tool[]): void {
    toOpenAITools(tools);
  }

  async #ask(
    request: ChatRequest,
    body: ChatCompletionCreateParamsBase,
    signal: AbortSignal,
  ): Promise<ChatResponse> {
    let reader: AnswerReader | undefined;
    const { chunks, surroundings } = await openAnswer(this.#client, body, {
      signal,
      now: () => request.run?.now() ?? Date.now(),
      finished: () => reader?.finished === true,
    });
    reader = new AnswerReader(new ResponseBuilder(request), surroundings);
    for await (const chunk of chunks) {
      // What has arrived already must not be shown any more.
      signal.throwIfAborted();
      await reader.read(chunk);
    }
    signal.throwIfAborted();
    return await reader.finish();
  }
}

function isOpenAI(baseURL: string): boolean {
  const { hostname } = new URL(baseURL);
  return /(^|\.)openai\.(com|azure\.com)$/.test(hostname);
}
