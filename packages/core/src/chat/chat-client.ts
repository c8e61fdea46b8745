import type { Message } from "../messages/message.js";
import type { FinishReason, FinishUpdate, Update } from "../messages/update.js";
import type { Usage } from "../messages/usage.js";
import type { LimitName } from "../run/budget.js";
import type { RunContext } from "../run/run-context.js";
import type { Tool } from "../tools/tool.js";
import type { ChatOptions } from "./chat-options.js";
import type { RateLimits } from "./rate-limits.js";

/** What a chat client says of itself. */
export interface ChatClientMetadata {
  /** Such as `openai`: the key of `providerData` and `providerOptions`. */
  readonly provider: string;
  /** The model that is asked when the options name none. */
  readonly defaultModel?: string;
}

/** One question to a model. */
export interface ChatRequest {
  readonly messages: readonly Message[];
  readonly options: ChatOptions;
  readonly signal?: AbortSignal | undefined;
  /** Present: stream. A promise it returns is back-pressure and must be awaited. */
  readonly onUpdate?: ((update: Update) => void | Promise<void>) | undefined;
  /** Opaque to clients; whoever wraps one passes it on. */
  readonly run?: RunContext | undefined;
}

/** How a run ended: done, waiting for an answer, ended by code, or at a limit. */
export type Outcome = "completed" | "paused" | "ended" | "limit";

/** What a service says beside its answer. */
export interface ResponseMetadata {
  /** The service's id of the HTTP request, for its support and its logs. */
  readonly requestId?: string;
  readonly rateLimits?: RateLimits;
}

/** What came back: plain data. */
export interface ChatResponse {
  readonly messages: readonly Message[];
  readonly finishReason?: FinishReason;
  /** The service's own word for `finishReason`. */
  readonly rawFinishReason?: string;
  /** Of all model calls behind this response. */
  readonly usage?: Usage;
  /** The service's id of this response. */
  readonly responseId?: string;
  /** The id under which the service holds the conversation now. */
  readonly conversationId?: string;
  /** The model that answered, as the service names it. */
  readonly model?: string;
  /** Of the last model call. */
  readonly metadata?: ResponseMetadata;
  /** How the loop ended; absent on the response of a bare chat client. */
  readonly outcome?: Outcome;
  /** Who ended the run, with outcome `ended`: the name of a middleware or a tool. */
  readonly endedBy?: string;
  /** Which limit, with outcome `limit`. */
  readonly limit?: LimitName;
  /** Usage of the last model call alone; absent on the response of a bare chat client. */
  readonly lastUsage?: Usage;
}

/**
 * The one seam to a model. Whoever implements it answers with what it streamed: what a consumer
 * folds from `onUpdate` must be `messages`. Failures reject with a `ChatClientError`, an abort with
 * `signal.reason`. Messages and options are never changed.
 */
export interface ChatClient {
  /** Who answers: the provider's name and the default model. */
  readonly metadata: ChatClientMetadata;
  /** One model round trip. With `onUpdate` in the request the answer is streamed while it comes in. */
  getResponse(request: ChatRequest): Promise<ChatResponse>;
  /**
   * Says early what the service would refuse: tool names, schemas, foreign hosted tools.
   *
   * @throws ConfigurationError naming the tool and what to write instead.
   */
  checkTools?(tools: readonly Tool[]): void;
}

/** What a response says of its end, as a `finish` update says it. */
export function endOf({
  finishReason,
  usage,
  responseId,
}: ChatResponse): Omit<FinishUpdate, "type" | "messageId"> {
  return {
    ...(finishReason !== undefined && { finishReason }),
    ...(usage && { usage }),
    ...(responseId !== undefined && { responseId }),
  };
}
