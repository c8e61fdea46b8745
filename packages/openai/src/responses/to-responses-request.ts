import {
  ChatClientError,
  type ChatOptions,
  type ChatRequest,
  ConfigurationError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  joinInstructions,
  type ResponseFormat,
} from "@tunic/core";
import type {
  ResponseCreateParamsBase,
  ResponseTextConfig,
} from "openai/resources/responses/responses";
import { formatForm, type NotStrictListener, strictTerms } from "../strict/strict-mode.js";
import { heldPart } from "./held-conversation.js";
import { type ToOpenAIResponsesInputOptions, toInput } from "./to-responses-input.js";
import { toOpenAIResponsesTools, toResponsesToolChoice } from "./to-responses-tools.js";

/** What a request gets from the client rather than from its options. */
export interface ResponsesDefaults {
  readonly model: string;
  /** Whether the service keeps the answers. */
  readonly store: boolean;
  /** The host of the service, with its port. */
  readonly origin: string;
  /** Whether tools and formats are said strictly where they can be. */
  readonly strict: boolean;
  /** Told of what could not be said strictly, and why; `run` is the one that wants to know. */
  readonly onNotStrict?: NotStrictListener | undefined;
}

/**
 * The body of a request.
 *
 * @throws ConfigurationError where two settings contradict each other.
 * @throws ChatClientError `unsupported` for what the Responses API cannot do.
 */
export function toResponsesRequest(
  request: ChatRequest,
  defaults: ResponsesDefaults,
): ResponseCreateParamsBase {
  const { model, store, origin } = defaults;
  const { options, run } = request;
  refuseUnsupported(options);
  const terms: ToOpenAIResponsesInputOptions = {
    store,
    origin,
    onLeftOut: (message, types) =>
      run?.notice(
        "content_left_out",
        `Message ${message.id} holds what the Responses API cannot say: ${types.join(", ")}.`,
      ),
  };
  const instructions = joinInstructions(options.instructions);
  const body: ResponseCreateParamsBase = {
    model: options.model ?? model,
    ...(instructions !== undefined && { instructions }),
    store,
    ...inputOf(request, defaults, terms),
    ...sampling(options),
    ...tools(request, defaults),
    ...(options.responseFormat && { text: toText(options.responseFormat, request, defaults) }),
    ...(options.metadata && { metadata: { ...options.metadata } }),
    ...(request.onUpdate && { stream: true }),
  };
  const merged = withProviderOptions(body, options.providerOptions?.["openai"] ?? {});
  return withEncryptedReasoning(merged);
}

/** What is sent of the messages, and what the service holds of them. */
function inputOf(
  request: ChatRequest,
  defaults: ResponsesDefaults,
  terms: ToOpenAIResponsesInputOptions,
): Pick<ResponseCreateParamsBase, "input" | "previous_response_id" | "conversation"> {
  const { messages, members, rename } = heldPart(request, defaults);
  if (Object.keys(members).length > 0) {
    const input = toInput(messages, terms, true);
    if (input.length > 0) return { input: rename(input), ...members };
  }
  // Nothing is held, or there is nothing new to say: the service takes no empty input, so all is said anew.
  return { input: toInput(request.messages, terms, false) };
}

const nowhere = ["seed", "stop", "frequencyPenalty", "presencePenalty"] as const;

function refuseUnsupported(options: ChatOptions): void {
  for (const name of nowhere) {
    const value = options[name];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    throw new ChatClientError(
      "unsupported",
      `The Responses API has nothing like options.${name}: leave it out, or ask through OpenAIChatClient.`,
    );
  }
}

function sampling(options: ChatOptions): Partial<ResponseCreateParamsBase> {
  const { temperature, topP, maxTokens } = options;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
  };
}

function tools(
  { options, run }: ChatRequest,
  { strict, onNotStrict }: ResponsesDefaults,
): Partial<ResponseCreateParamsBase> {
  const list = options.tools ?? [];
  const choice = toResponsesToolChoice(options.toolChoice, list);
  // The service refuses settings of tools where there are none.
  if (list.length === 0) return {};
  const { parallelToolCalls } = options;
  return {
    tools: toOpenAIResponsesTools(list, strictTerms(strict, onNotStrict, run)),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
  };
}

function toText(
  format: ResponseFormat,
  { run }: ChatRequest,
  { strict, onNotStrict }: ResponsesDefaults,
): ResponseTextConfig {
  const form = formatForm(format, strict, onNotStrict, run);
  return { format: { type: "json_schema", ...form, strict: form.strict ?? false } };
}

/** Members that belong to Tunic, and where they are set. */
const ours: ReadonlyMap<string, string> = new Map(
  Object.entries({
    model: "options.model",
    input: "the messages",
    instructions: "options.instructions",
    stream: "the way the client is asked",
    store: "the option store of OpenAIResponsesClient",
    previous_response_id: "options.conversationId",
    conversation: "options.conversationId",
  }),
);

/** Both together. Objects are merged one level deep, lists of `include` are joined. */
function withProviderOptions(
  body: ResponseCreateParamsBase,
  extra: JsonObject,
): ResponseCreateParamsBase {
  const merged: Record<string, unknown> = { ...body };
  for (const [member, value] of Object.entries(extra)) {
    if (member === "background") {
      throw new ConfigurationError(
        "invalid_option",
        "providerOptions.openai.background: a response that is made in the background is no answer " +
          "to this request. Leave it out; a long answer is best streamed.",
      );
    }
    const place = ours.get(member);
    if (place !== undefined) throw twoSources(member, place);
    merged[member] = mergedMember(member, merged[member], value);
  }
  // `providerOptions` are the vendor's own words, newer ones than these types know included.
  return merged as ResponseCreateParamsBase;
}

function mergedMember(member: string, known: unknown, value: JsonValue): unknown {
  if (known === undefined) return value;
  if (!isJsonObject(known) || !isJsonObject(value)) throw twoSources(member, theOptions);
  for (const name of Object.keys(value)) {
    if (name in known) throw twoSources(`${member}.${name}`, theOptions);
  }
  return { ...known, ...value };
}

const theOptions = "the chat options, where they have it";

function twoSources(member: string, place: string): ConfigurationError {
  return new ConfigurationError(
    "two_sources",
    `providerOptions.openai.${member} would overwrite what is set already. Set it in one place: ${place}.`,
  );
}

const encrypted = "reasoning.encrypted_content";

/**
 * Asks for reasoning in a form that can be sent back, where nothing is kept. Models that do not reason
 * refuse that ("Encrypted content is not supported with this model"), so it takes a model that is known
 * to reason, or a request that sets `reasoning`.
 */
function withEncryptedReasoning(body: ResponseCreateParamsBase): ResponseCreateParamsBase {
  if (body.store !== false) return body;
  const { include, model = "", reasoning } = body;
  if (include?.includes(encrypted)) return body;
  if (!reasoning && !reasons(model)) return body;
  return { ...body, include: [...(include ?? []), encrypted] };
}

/** By the vendor's names; `gpt-5-chat` and its kind do not reason. */
function reasons(model: string): boolean {
  const name = model.slice(model.lastIndexOf("/") + 1);
  return /^(o\d|gpt-([5-9]|\d\d)|codex|computer-use)/.test(name) && !/-chat\b/.test(name);
}
