import Anthropic from "@anthropic-ai/sdk";
import { ConfigurationError, checkClientOptions } from "@tunic/core";

/** How an `AnthropicChatClient` is made. */
export interface AnthropicChatClientOptions {
  /** The model that is asked when a request names none, such as `claude-sonnet-5`. */
  readonly model: string;
  /** Default: the environment's `ANTHROPIC_API_KEY`. */
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
  /** Headers of every request, such as `anthropic-beta`. */
  readonly defaultHeaders?: Readonly<Record<string, string>> | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof AnthropicChatClientOptions>([
  "model",
  "apiKey",
  "baseURL",
  "client",
  "maxRetries",
  "defaultHeaders",
]);

/**
 * The SDK instance that the options ask for.
 *
 * @throws ConfigurationError for unknown options, two sources of one setting, or no key.
 */
export function toSdkClient(options: AnthropicChatClientOptions): Anthropic {
  checkClientOptions("AnthropicChatClient", options, optionNames);
  return options.client ?? newClient(options);
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
