import Anthropic from "@anthropic-ai/sdk";
import { ConfigurationError, checkClientOptions, isJsonObject, type VendorSdk } from "@tunic/core";
import type { PromptCaching } from "./cache-marks.js";
import type { ClientSettings } from "./client-settings.js";
import type { AnswerForm } from "./structured-answer.js";
import { ToolConverter } from "./to-anthropic-tools.js";
import { checkToolOptions, type ToolSettings } from "./tool-settings.js";

/** How an `AnthropicChatClient` is made. */
export interface AnthropicChatClientOptions extends ToolSettings {
  /** The model that is asked when a request names none, such as `claude-sonnet-5`. */
  readonly model: string;
  /**
   * Default: the environment's `ANTHROPIC_API_KEY`, then a token in `ANTHROPIC_AUTH_TOKEN`. With a
   * `baseURL` it may be missing; the environment's goes there, too.
   */
  readonly apiKey?: string | undefined;
  /** Default: the environment's `ANTHROPIC_BASE_URL`, else the vendor's own address. */
  readonly baseURL?: string | undefined;
  /** A ready instance of the vendor's SDK, with its own key, address, retries and headers. */
  readonly client?: Anthropic | undefined;
  /**
   * How often the SDK itself repeats a failed request. Default 0: retries belong into a layer, where
   * budgets and telemetry see them.
   */
  readonly maxRetries?: number | undefined;
  /** Headers of every request. */
  readonly defaultHeaders?: Readonly<Record<string, string>> | undefined;
  /**
   * Beta features of every request, for the header `anthropic-beta`; `providerOptions.anthropic.betas`
   * adds some to one request. Each is named once. Where any is named, the header of a ready `client`
   * is replaced.
   */
  readonly betas?: readonly string[] | undefined;
  /**
   * Marks what the service is to cache: `true`, or how long it keeps it. Default off. Writing into the
   * cache costs more than reading plain input, reading from it a tenth; a conversation of several
   * rounds gains. Marks of one's own are `providerData.anthropic.cache_control` on a content.
   */
  readonly promptCaching?: boolean | PromptCaching | undefined;
  /**
   * How often an answer that the service paused (`pause_turn`, in long work of its own tools) is asked
   * to go on within one `getResponse`. Default 10; 0 leaves that to the caller. At the limit the
   * response ends with `finishReason` `pause_turn`.
   */
  readonly maxContinuations?: number | undefined;
  /**
   * How a `responseFormat` is asked for: by the service's own `output_config`, or by a forced tool.
   * Default: as the model's name says; for an unknown model by `output_config`.
   */
  readonly structuredOutputs?: AnswerForm | undefined;
}

/** Settings of the SDK's instance: a ready one has made them. */
const sdkOptions = [
  "model",
  "apiKey",
  "baseURL",
  "client",
  "maxRetries",
  "defaultHeaders",
] as const;

const ownOptions = [
  "betas",
  "promptCaching",
  "maxContinuations",
  "structuredOutputs",
  "strictTools",
  "eagerInputStreaming",
  "toolOptions",
] as const;

const optionNames: ReadonlySet<keyof AnthropicChatClientOptions> = new Set([
  ...sdkOptions,
  ...ownOptions,
]);

const defaultContinuations = 10;

/**
 * What the options add to each request.
 *
 * @throws ConfigurationError `invalid_option`
 */
export function toSettings(options: AnthropicChatClientOptions): ClientSettings {
  const { maxContinuations = defaultContinuations, structuredOutputs, betas = [] } = options;
  if (!Number.isInteger(maxContinuations) || maxContinuations < 0) {
    throw wrong("maxContinuations must be a whole number, 0 or more");
  }
  if (structuredOutputs !== undefined && !["native", "tool"].includes(structuredOutputs)) {
    throw wrong('structuredOutputs must be "native" or "tool"');
  }
  if (!Array.isArray(betas) || betas.some((beta) => typeof beta !== "string" || beta === "")) {
    throw wrong("betas must be a list of names");
  }
  checkToolOptions(options);
  return {
    model: options.model,
    betas: [...new Set([...headerBetas(options.defaultHeaders), ...betas])],
    caching: toCaching(options.promptCaching),
    structuredOutputs,
    maxContinuations,
    tools: new ToolConverter(options),
  };
}

function toCaching(given: AnthropicChatClientOptions["promptCaching"]): PromptCaching | undefined {
  if (given === undefined || given === false) return undefined;
  if (given === true) return {};
  const ttl: unknown = typeof given === "object" ? given?.ttl : null;
  if (ttl === undefined || ttl === "5m" || ttl === "1h") return given;
  throw wrong('promptCaching must be true, false or { ttl: "5m" | "1h" }');
}

/** A request's header replaces the client's: what stands there has to be named again. */
function headerBetas(headers: AnthropicChatClientOptions["defaultHeaders"]): readonly string[] {
  const names: string[] = [];
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (name.toLowerCase() === "anthropic-beta") names.push(...value.split(","));
  }
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

function wrong(text: string): ConfigurationError {
  return new ConfigurationError("invalid_option", `AnthropicChatClient: ${text}.`);
}

/**
 * The SDK instance that the options ask for.
 *
 * @throws ConfigurationError for unknown options, two sources of one setting, or no key.
 */
export function toSdkClient(options: AnthropicChatClientOptions): Anthropic {
  checkClientOptions("AnthropicChatClient", sdkPart(options), optionNames, anthropicSdk);
  return options.client ?? newClient(options);
}

const anthropicSdk: VendorSdk = {
  words: 'an instance of Anthropic, of the package "@anthropic-ai/sdk"',
  fits(client: Partial<Anthropic>) {
    return typeof client.post === "function" && typeof client.messages?.create === "function";
  },
};

/** The options without those that go well with a ready client. */
function sdkPart(options: AnthropicChatClientOptions): AnthropicChatClientOptions {
  if (!isJsonObject(options)) return options;
  const rest: Record<string, unknown> = { ...options };
  for (const name of ownOptions) delete rest[name];
  return { ...rest, model: options.model };
}

function newClient(options: AnthropicChatClientOptions): Anthropic {
  const { maxRetries = 0, defaultHeaders } = options;
  const baseURL = options.baseURL ?? environment("ANTHROPIC_BASE_URL");
  return new Anthropic({
    ...credentials(options.apiKey, baseURL),
    maxRetries,
    // Whatever it would print comes back as an error, too.
    ...(environment("ANTHROPIC_LOG") === undefined && { logLevel: "off" }),
    ...(baseURL !== undefined && { baseURL }),
    ...(defaultHeaders && { defaultHeaders: { ...defaultHeaders } }),
  });
}

function credentials(given: string | undefined, baseURL: string | undefined) {
  const apiKey = given ?? environment("ANTHROPIC_API_KEY");
  if (apiKey) return { apiKey };
  const authToken = environment("ANTHROPIC_AUTH_TOKEN");
  if (authToken) return { authToken };
  // Servers of one's own often want no key, but the SDK does not send a request without one.
  if (baseURL !== undefined) return { apiKey: "none" };
  throw new ConfigurationError(
    "missing_api_key",
    "AnthropicChatClient: no API key. Set ANTHROPIC_API_KEY or pass apiKey; for other ways to sign in pass a client.",
  );
}

/** Browsers have no environment. */
function environment(name: string): string | undefined {
  return typeof process === "undefined" ? undefined : process.env[name]?.trim() || undefined;
}
