import {
  type ChatClient,
  type ChatClientMetadata,
  type ChatRequest,
  type ChatResponse,
  type Tool,
  withAbort,
} from "@tunic/core";
import type OpenAI from "openai";
import { readAnswer } from "../read-answer.js";
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
    const client = this.#client;
    const { store, origin } = this.#defaults;
    return await withAbort(request.signal, (signal) => {
      const send = () => client.responses.create(body, { signal }).asResponse();
      const question = { client, send, streamed: body.stream === true, words: answerWords };
      return readAnswer(request, signal, question, (builder, surroundings) => {
        const names = namesOnWire(request.options.tools ?? []);
        return new ResponseReader(builder, surroundings, { names, store, origin });
      });
    });
  }

  /**
   * Says early what the service would refuse.
   *
   * @throws ConfigurationError naming the tool and what to write instead.
   */
  checkTools(tools: readonly Tool[]): void {
    toOpenAIResponsesTools(tools, { strict: this.#defaults.strict });
  }
}
