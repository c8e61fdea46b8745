import {
  askWithAnswerTool,
  type ChatClient,
  type ChatClientMetadata,
  type ChatRequest,
  type ChatResponse,
  ConfigurationError,
  isJsonObject,
  ResponseBuilder,
  type Tool,
  withAbort,
} from "@tunic/core";
import type OpenAI from "openai";
import type { ChatCompletionCreateParamsBase } from "openai/resources/chat/completions";
import { filteredAnswer } from "../filtered-answer.js";
import { openAnswer } from "../open-answer.js";
import { filteredInput } from "../openai-errors.js";
import { type OpenAIChatClientOptions, sdkClient } from "../sdk-client.js";
import { serviceAt } from "../service.js";
import { notStrictNotices } from "../strict/strict-mode.js";
import { namesOnWire } from "../tool-names.js";
import { AnswerReader } from "./from-openai.js";
import { type RequestDefaults, toRequestBody } from "./to-openai.js";
import { refuseHostedTools, toOpenAITools } from "./to-openai-tools.js";

/** Asks OpenAI's chat completions, or a service that speaks the same protocol. */
export class OpenAIChatClient implements ChatClient {
  readonly metadata: ChatClientMetadata;
  readonly #client: OpenAI;
  readonly #defaults: RequestDefaults;
  readonly #formatByTool: boolean;

  /**
   * @throws ConfigurationError for an unknown option, a missing model or key, or two sources of one
   * setting.
   */
  constructor(options: OpenAIChatClientOptions) {
    this.#client = sdkClient(options);
    this.metadata = { provider: "openai", defaultModel: options.model };
    const service = serviceAt(this.#client.baseURL);
    const { replayReasoning } = options;
    if (service.isOpenAI && replayReasoning !== undefined && replayReasoning !== "never") {
      throw new ConfigurationError(
        "invalid_option",
        `OpenAI takes no reasoning back at chat completions: leave replayReasoning out.`,
      );
    }
    this.#formatByTool = options.structuredOutputs === "tool";
    this.#defaults = {
      model: options.model,
      service,
      strict: options.strictTools ?? service.isOpenAI,
      replayReasoning,
      onNotStrict: notStrictNotices(),
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
    if (!this.#formatByTool) return await this.#send(request);
    return await askWithAnswerTool(request, (asked) => this.#send(asked));
  }

  /**
   * Says early what the service would refuse.
   *
   * @throws ConfigurationError naming the tool and what to write instead.
   */
  checkTools(tools: readonly Tool[]): void {
    const { service, strict } = this.#defaults;
    if (service.isOpenAI) refuseHostedTools(tools);
    toOpenAITools(tools, { strict });
  }

  async #send(request: ChatRequest): Promise<ChatResponse> {
    const body = toRequestBody(request, this.#defaults);
    return await withAbort(request.signal, (signal) => this.#ask(request, body, signal));
  }

  async #ask(
    request: ChatRequest,
    body: ChatCompletionCreateParamsBase,
    signal: AbortSignal,
  ): Promise<ChatResponse> {
    const builder = new ResponseBuilder(request);
    let reader: AnswerReader | undefined;
    try {
      const { chunks, surroundings } = await openAnswer(this.#client, body, {
        signal,
        now: () => request.run?.now() ?? Date.now(),
        finished: () => reader?.finished === true,
      });
      reader = new AnswerReader(builder, surroundings, {
        origin: this.#defaults.service.origin,
        names: namesOnWire(request.options.tools ?? []),
        audioFormat: audioFormatOf(request),
      });
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

function audioFormatOf({ options }: ChatRequest): string | undefined {
  const audio = options.providerOptions?.["openai"]?.["audio"];
  const format = isJsonObject(audio) ? audio["format"] : undefined;
  return typeof format === "string" ? format : undefined;
}
