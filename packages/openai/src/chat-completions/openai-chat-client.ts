import {
  askWithAnswerTool,
  type ChatClient,
  type ChatClientMetadata,
  type ChatRequest,
  type ChatResponse,
  ConfigurationError,
  isJsonObject,
  type Tool,
  withAbort,
} from "@tunic/core";
import type OpenAI from "openai";
import { readAnswer } from "../read-answer.js";
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
    const client = this.#client;
    return await withAbort(request.signal, (signal) => {
      const send = () => client.chat.completions.create(body, { signal }).asResponse();
      const question = { client, send, streamed: body.stream === true };
      return readAnswer(request, signal, question, (builder, surroundings) => {
        return new AnswerReader(builder, surroundings, {
          origin: this.#defaults.service.origin,
          names: namesOnWire(request.options.tools ?? []),
          audioFormat: audioFormatOf(request),
        });
      });
    });
  }
}

function audioFormatOf({ options }: ChatRequest): string | undefined {
  const audio = options.providerOptions?.["openai"]?.["audio"];
  const format = isJsonObject(audio) ? audio["format"] : undefined;
  return typeof format === "string" ? format : undefined;
}
