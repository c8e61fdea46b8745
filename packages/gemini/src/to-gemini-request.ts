import type { GenerateContentConfig, GenerateContentParameters } from "@google/genai";
import {
  ChatClientError,
  type ChatOptions,
  type ChatRequest,
  ConfigurationError,
  type JsonObject,
  joinInstructions,
  mergeProviderOptions,
  type ResponseFormat,
  responseSchema,
} from "@tunic/core";
import { toPlainSchema } from "./plain-schema.js";
import { toGeminiContents } from "./to-gemini.js";
import { toToolOptions } from "./to-gemini-tool-options.js";
import type { Notice } from "./to-gemini-turn.js";

/** Where a request goes. */
export interface Destination {
  readonly model: string;
  readonly generation: number;
  readonly isVertex: boolean;
}

/**
 * What the SDK is given.
 *
 * @throws ChatClientError `unsupported` for an option or a content that the service has no word for.
 * @throws ConfigurationError for a tool that it would refuse, and for a setting given twice.
 */
export function toGeminiRequest(
  { messages, options, run }: Pick<ChatRequest, "messages" | "options" | "run">,
  { model, generation, isVertex }: Destination,
): GenerateContentParameters {
  checkOptions(options, isVertex);
  const notice: Notice | undefined = run && ((...about) => run.notice(...about));
  const { system, contents } = toGeminiContents(messages, { model, generation, notice });
  if (contents.length === 0) {
    throw new ChatClientError("bad_request", "Gemini needs a message with something in it.");
  }
  const asked: Record<string, unknown> = {
    ...toSystemInstruction(options, system),
    ...toSampling(options),
    ...toToolOptions(options, { generation, isVertex, notice }),
    ...(options.responseFormat && toFormat(options.responseFormat, notice)),
    ...(options.metadata && { labels: { ...options.metadata } }),
  };
  const own = options.providerOptions?.["gemini"] ?? {};
  // `providerOptions` are the vendor's own words, newer ones than these types know included.
  const config: GenerateContentConfig = mergeProviderOptions(asked, own, {
    provider: "gemini",
    reserved: ["model", "contents", "abortSignal", "automaticFunctionCalling"],
  });
  checkCache(config);
  return { model, contents, config };
}

function toSystemInstruction(options: ChatOptions, system: string | undefined) {
  const texts = [joinInstructions(options.instructions), system];
  const text = texts.filter((each) => each !== undefined).join("\n\n");
  return text.trim() === "" ? {} : { systemInstruction: { role: "user", parts: [{ text }] } };
}

function toSampling(options: ChatOptions): GenerateContentConfig {
  const { temperature, topP, maxTokens, stop, seed, frequencyPenalty, presencePenalty } = options;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(stop && stop.length > 0 && { stopSequences: [...stop] }),
    ...(seed !== undefined && { seed }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(presencePenalty !== undefined && { presencePenalty }),
  };
}

const formats = new WeakMap<JsonObject, JsonObject>();

function toFormat(format: ResponseFormat, notice?: Notice): JsonObject {
  const given = responseSchema(format);
  let made = formats.get(given);
  if (made === undefined) {
    const { schema, cuts } = toPlainSchema(given, "The schema of options.responseFormat");
    if (cuts.length > 0) {
      notice?.(
        "schema_cut",
        `The schema of options.responseFormat holds itself at ${cuts.join(", ")}. Gemini is told of an object of any form there; the answer is checked against the whole schema.`,
      );
    }
    made = { responseMimeType: "application/json", responseJsonSchema: schema };
    formats.set(given, made);
  }
  return made;
}

function checkOptions(options: ChatOptions, isVertex: boolean): void {
  if (options.conversationId !== undefined) {
    throw new ChatClientError(
      "unsupported",
      "Gemini's generateContent holds no conversations. Leave conversationId out and send the messages.",
    );
  }
  if (options.metadata !== undefined && !isVertex) {
    throw new ChatClientError(
      "unsupported",
      "The Gemini API stores no tags: leave options.metadata out. (Vertex AI does, as labels; pass a client for it.)",
    );
  }
}

/** "CachedContent can not be used with … setting system_instruction, tools or tool_config." */
function checkCache(config: GenerateContentConfig): void {
  if (config.cachedContent === undefined) return;
  for (const name of ["systemInstruction", "tools", "toolConfig"] as const) {
    if (config[name] === undefined) continue;
    throw new ConfigurationError(
      "two_sources",
      `providerOptions.gemini.cachedContent brings ${name} itself, and the service takes none beside it. Leave instructions and tools out of the request.`,
    );
  }
}
