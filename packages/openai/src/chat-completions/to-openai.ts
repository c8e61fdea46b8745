import {
  ChatClientError,
  type ChatOptions,
  type ChatRequest,
  ConfigurationError,
  type JsonObject,
  joinInstructions,
  type ResponseFormat,
} from "@tunic/core";
import type { ChatCompletionCreateParamsBase } from "openai/resources/chat/completions";
import type { ReasoningMember, Service } from "../service.js";
import { formatForm, type NotStrictListener, strictTerms } from "../strict/strict-mode.js";
import { toOpenAIMessages } from "./to-openai-messages.js";
import { refuseHostedTools, toOpenAIToolChoice, toOpenAITools } from "./to-openai-tools.js";

/** What a request gets from the client rather than from its options. */
export interface RequestDefaults {
  readonly model: string;
  readonly service: Service;
  /** Whether tools and formats are said strictly where they can be. */
  readonly strict: boolean;
  /** How reasoning goes back to the service. Default: as it came. */
  readonly replayReasoning?: ReasoningMember | "never" | undefined;
  /** Told of what could not be said strictly. */
  readonly onNotStrict?: NotStrictListener | undefined;
}

/**
 * The body of a request.
 *
 * @throws ConfigurationError where two settings contradict each other.
 * @throws ChatClientError `unsupported` for what chat completions cannot do.
 */
export function toRequestBody(
  request: ChatRequest,
  defaults: RequestDefaults,
): ChatCompletionCreateParamsBase {
  const { options, run } = request;
  if (options.conversationId !== undefined) {
    throw new ChatClientError(
      "unsupported",
      "Chat completions hold no conversations. Leave conversationId out and send the messages.",
    );
  }
  const { service, replayReasoning } = defaults;
  checkMetadata(options, service);
  const messages = toOpenAIMessages(request.messages, {
    instructions: joinInstructions(options.instructions),
    onLeftOut: (message, types) =>
      run?.notice(
        "content_left_out",
        `Message ${message.id} holds what chat completions cannot say: ${types.join(", ")}.`,
      ),
    replay: {
      origin: service.origin,
      reasoning: service.isOpenAI ? "never" : replayReasoning,
      now: run?.now() ?? Date.now(),
    },
    shortCallIds: service.shortCallIds,
  });
  // OpenAI's newer models refuse the old name, other services do not know the new one.
  const maxTokens = service.isOpenAI ? "max_completion_tokens" : "max_tokens";
  const body: ChatCompletionCreateParamsBase = {
    model: options.model ?? defaults.model,
    messages,
    ...sampling(options),
    ...(options.maxTokens !== undefined && { [maxTokens]: options.maxTokens }),
    ...tools(request, defaults),
    ...(options.responseFormat && {
      response_format: toResponseFormat(options.responseFormat, request, defaults),
    }),
    ...(options.metadata && { metadata: { ...options.metadata } }),
    ...(request.onUpdate && { stream: true, stream_options: { include_usage: true } }),
  };
  const extra = options.providerOptions?.["openai"];
  return extra ? withProviderOptions(body, extra) : body;
}

/** OpenAI keeps tags only with answers that it stores. */
function checkMetadata({ metadata, providerOptions }: ChatOptions, { isOpenAI }: Service): void {
  if (metadata === undefined || !isOpenAI || providerOptions?.["openai"]?.["store"] === true)
    return;
  throw new ChatClientError(
    "unsupported",
    "OpenAI takes options.metadata only for answers that it stores: set providerOptions: { openai: { store: true } }, or leave metadata out.",
  );
}

function sampling(options: ChatOptions): Partial<ChatCompletionCreateParamsBase> {
  const { temperature, topP, stop, seed, frequencyPenalty, presencePenalty } = options;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop && stop.length > 0 && { stop: [...stop] }),
    ...(seed !== undefined && { seed }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
  };
}

function tools(
  { options, run }: ChatRequest,
  { service, strict, onNotStrict }: RequestDefaults,
): Partial<ChatCompletionCreateParamsBase> {
  const list = options.tools ?? [];
  if (service.isOpenAI) refuseHostedTools(list);
  const choice = toOpenAIToolChoice(options.toolChoice, list);
  // The service refuses settings of tools where there are none.
  if (list.length === 0) return {};
  const { parallelToolCalls } = options;
  return {
    tools: toOpenAITools(list, strictTerms(strict, onNotStrict, run)),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
  };
}

type WireFormat = NonNullable<ChatCompletionCreateParamsBase["response_format"]>;

function toResponseFormat(
  format: ResponseFormat,
  { run }: ChatRequest,
  { strict, onNotStrict }: RequestDefaults,
): WireFormat {
  return { type: "json_schema", json_schema: formatForm(format, strict, onNotStrict, run) };
}

/** Members that belong to Tunic, even where the request at hand does not have them. */
const ours: ReadonlySet<string> = new Set(["model", "messages", "stream"]);

function withProviderOptions(
  body: ChatCompletionCreateParamsBase,
  extra: JsonObject,
): ChatCompletionCreateParamsBase {
  for (const member of Object.keys(extra)) {
    // Not a setting of anybody's: we ask for usage, and a service may not know how.
    if (member === "stream_options") continue;
    const twice = maxTokensNames.has(member) ? hasMaxTokens(body) : member in body;
    if (!twice && !ours.has(member)) continue;
    throw new ConfigurationError(
      "two_sources",
      `providerOptions.openai.${member} would overwrite what is set already. Set it in one place: ` +
        `the chat options, where they have it.`,
    );
  }
  return { ...body, ...extra };
}

/** Two names of one setting. */
const maxTokensNames: ReadonlySet<string> = new Set(["max_tokens", "max_completion_tokens"]);

function hasMaxTokens(body: ChatCompletionCreateParamsBase): boolean {
  return Object.keys(body).some((member) => maxTokensNames.has(member));
}
