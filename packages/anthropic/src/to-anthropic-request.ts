import type Anthropic from "@anthropic-ai/sdk";
import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import {
  ChatClientError,
  type ChatOptions,
  type ChatRequest,
  ConfigurationError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  joinInstructions,
  responseSchema,
  type Tool,
} from "@tunic/core";
import { defaultMaxTokens } from "./max-tokens.js";
import { toAnthropicMessages } from "./to-anthropic.js";
import { toAnthropicTools } from "./to-anthropic-tools.js";

type Params = Anthropic.MessageCreateParams;

/**
 * The body of a request.
 *
 * @throws ChatClientError `unsupported` for an option or a content that the service has no word for.
 * @throws ConfigurationError for a tool that it would refuse, and for a setting given twice.
 */
export function toAnthropicRequest(
  { messages, options, run }: Pick<ChatRequest, "messages" | "options" | "run">,
  defaultModel: string,
): Params {
  checkOptions(options);
  const notice = run && ((...about: Parameters<typeof run.notice>) => run.notice(...about));
  const conversation = toAnthropicMessages(messages, notice);
  const asked: Record<string, unknown> = {
    ...toSystem(options, conversation.system),
    ...(options.model !== undefined && { model: options.model }),
    ...(options.maxTokens !== undefined && { max_tokens: options.maxTokens }),
    ...(options.stop && { stop_sequences: [...options.stop] }),
    ...(options.metadata && { metadata: options.metadata }),
    ...toToolOptions(options),
    ...(options.responseFormat && {
      output_config: { format: toFormat(responseSchema(options.responseFormat)) },
    }),
  };
  const own = options.providerOptions?.["anthropic"] ?? {};
  checkReserved(own);
  const merged = mergeOnce(asked, own);
  const model = typeof merged["model"] === "string" ? merged["model"] : defaultModel;
  const params = {
    max_tokens: defaultMaxTokens(model),
    ...merged,
    model,
    messages: conversation.messages,
  };
  // `providerOptions` are the vendor's own words, newer ones than these types know included.
  return params as Params;
}

function toSystem(options: ChatOptions, texts: readonly string[]): { system?: string } {
  const instructions = joinInstructions(options.instructions);
  const all = instructions === undefined ? texts : [instructions, ...texts];
  return all.length > 0 ? { system: all.join("\n\n") } : {};
}

function toToolOptions({ tools = [], toolChoice, parallelToolCalls }: ChatOptions) {
  const offered = narrowed(tools, toolChoice);
  // Without tools the service takes neither member.
  if (offered.length === 0) return {};
  const choice = toToolChoice(toolChoice, parallelToolCalls === false);
  return { tools: toAnthropicTools(offered), ...(choice && { tool_choice: choice }) };
}

/** The service has no list of allowed tools: the others are left out of this one request. */
function narrowed(tools: readonly Tool[], choice: ChatOptions["toolChoice"]): readonly Tool[] {
  if (typeof choice !== "object" || !("allowed" in choice)) return tools;
  return tools.filter((tool) => choice.allowed.includes(tool.name));
}

function toToolChoice(
  choice: ChatOptions["toolChoice"],
  single: boolean,
): Anthropic.ToolChoice | undefined {
  const limit = single && { disable_parallel_tool_use: true };
  if (choice === "none") return { type: "none" };
  if (choice === "required") return { type: "any", ...limit };
  if (typeof choice === "object" && "name" in choice)
    return { type: "tool", name: choice.name, ...limit };
  // "auto" is what the service does unasked.
  return single || choice === "auto" ? { type: "auto", ...limit } : undefined;
}

const formats = new WeakMap<JsonObject, JsonObject>();

/** The vendor's own helper writes what its schemas cannot say into their descriptions. */
function toFormat(schema: JsonObject): JsonObject {
  let format = formats.get(schema);
  if (format === undefined) {
    try {
      format = { type: "json_schema", schema: transformJSONSchema(schema) as JsonObject };
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ChatClientError("unsupported", `options.responseFormat: ${reason}`, { cause });
    }
    formats.set(schema, format);
  }
  return format;
}

const nowhere = ["seed", "frequencyPenalty", "presencePenalty", "conversationId"] as const;

/** Removed by version 2026-10-21 of the API, which is the one that the SDK asks for. */
const removed = { temperature: "temperature", topP: "top_p" } as const;

function checkOptions(options: ChatOptions): void {
  for (const name of nowhere) if (options[name] !== undefined) throw unsupportedOption(name);
  for (const [name, wireName] of Object.entries(removed)) {
    if (options[name as keyof typeof removed] === undefined) continue;
    throw unsupportedOption(
      name,
      ` (For a server that still takes it: providerOptions.anthropic.${wireName}, with the header "anthropic-version: 2023-06-01".)`,
    );
  }
  for (const name of Object.keys(options.metadata ?? {})) {
    if (name !== "user_id")
      throw unsupportedOption(`metadata.${name}`, " It stores one tag, user_id.");
  }
}

function unsupportedOption(name: string, hint = ""): ChatClientError {
  return new ChatClientError(
    "unsupported",
    `Anthropic's Messages API has nothing like options.${name}: leave it out when this client is asked.${hint}`,
  );
}

/** What this client writes itself, whatever the options are. */
const reserved = ["messages", "stream"];

function checkReserved(own: JsonObject): void {
  for (const name of reserved) {
    if (own[name] === undefined) continue;
    throw new ConfigurationError(
      "invalid_option",
      `providerOptions.anthropic.${name} is written by the client itself.`,
    );
  }
}

/** Both together. Objects are merged one level deep; a setting with two sources is an error. */
function mergeOnce(
  asked: Readonly<Record<string, unknown>>,
  own: JsonObject,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...asked };
  for (const [name, value] of Object.entries(own)) {
    const known = asked[name];
    if (known === undefined) merged[name] = value;
    else if (isJsonObject(known) && isJsonObject(value))
      merged[name] = mergeMembers(name, known, value);
    else throw twoSources(name);
  }
  return merged;
}

function mergeMembers(
  name: string,
  known: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, JsonValue>>,
) {
  for (const key of Object.keys(own))
    if (known[key] !== undefined) throw twoSources(`${name}.${key}`);
  return { ...known, ...own };
}

function twoSources(name: string): ConfigurationError {
  return new ConfigurationError(
    "two_sources",
    `providerOptions.anthropic.${name} says what another option says already. Set it in one place only.`,
  );
}
