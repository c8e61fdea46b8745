import type { GenerateContentParameters, GoogleGenAI } from "@google/genai";
import {
  askWithAnswerTool,
  type ChatClient,
  type ChatClientMetadata,
  type ChatRequest,
  type ChatResponse,
  type RateLimits,
  ResponseBuilder,
  readRateLimits,
  type Tool,
  withAbort,
} from "@tunic/core";
import { AnswerReader } from "./from-gemini.js";
import { type GeminiChatClientOptions, toConnection } from "./gemini-client-options.js";
import { openAnswer } from "./open-answer.js";
import { toGeminiRequest } from "./to-gemini-request.js";
import { toGeminiTools } from "./to-gemini-tools.js";
import { namesOnWire } from "./wire-names.js";

/** Gemini models through `generateContent`: the Gemini API, or Vertex AI with a `client` for it. */
export class GeminiChatClient implements ChatClient {
  readonly metadata: ChatClientMetadata;
  readonly #sdk: GoogleGenAI;
  readonly #model: string;
  readonly #generationOf: (model: string) => number;

  /** @throws ConfigurationError for unknown options, two sources of one setting, or no key. */
  constructor(options: GeminiChatClientOptions) {
    const { sdk, generationOf } = toConnection(options);
    this.#sdk = sdk;
    this.#generationOf = generationOf;
    this.#model = options.model;
    this.metadata = { provider: "gemini", defaultModel: options.model };
  }

  /** @throws ConfigurationError for a tool that Gemini would refuse. */
  checkTools(tools: readonly Tool[]): void {
    toGeminiTools(tools);
  }

  /**
   * One model round trip; streamed when the request has an `onUpdate`.
   *
   * @throws ChatClientError when the service or the way to it fails, or an option has no form there.
   * @throws ConfigurationError for tools it would refuse and settings given twice.
   */
  async getResponse(request: ChatRequest): Promise<ChatResponse> {
    request.signal?.throwIfAborted();
    const { responseFormat, tools = [] } = request.options;
    const isOld = this.#generationOf(this.#modelOf(request)) < 3;
    // Older models take a form of the answer or tools, never both.
    if (responseFormat && tools.length > 0 && isOld) {
      return await askWithAnswerTool(request, (asked) => this.#send(asked));
    }
    return await this.#send(request);
  }

  #modelOf({ options }: ChatRequest): string {
    return options.model ?? this.#model;
  }

  async #send(request: ChatRequest): Promise<ChatResponse> {
    const model = this.#modelOf(request);
    const generation = this.#generationOf(model);
    const params = toGeminiRequest(request, { model, generation, isVertex: this.#sdk.vertexai });
    return await withAbort(request.signal, (signal) => this.#ask(request, params, signal));
  }

  async #ask(
    request: ChatRequest,
    params: GenerateContentParameters,
    signal: AbortSignal,
  ): Promise<ChatResponse> {
    const functions = request.options.tools?.filter((tool) => tool.type === "function") ?? [];
    const names = namesOnWire(functions.map(({ name }) => name));
    const reader = new AnswerReader(new ResponseBuilder(request), names);
    const streamed = request.onUpdate !== undefined;
    const isWhole = (): boolean => reader.finished;
    let head: { readonly rateLimits: RateLimits | undefined } | undefined;
    for await (const chunk of openAnswer(this.#sdk, params, { streamed, signal, isWhole })) {
      // What has arrived already must not be shown any more.
      signal.throwIfAborted();
      const { sdkHttpResponse, ...answer } = chunk;
      head ??= readHead(sdkHttpResponse?.headers, request.run?.now() ?? Date.now());
      await reader.read(answer);
    }
    signal.throwIfAborted();
    return await reader.finish({ streamed, rateLimits: head?.rateLimits });
  }
}

/** Every chunk of a stream brings the headers of the one answer. */
function readHead(headers: Readonly<Record<string, string>> = {}, now: number) {
  return { rateLimits: readRateLimits(Object.entries(headers), now) };
}
