import Anthropic from "@anthropic-ai/sdk";
import { ConfigurationError, checkOptionNames } from "@tunic/core";

/** How an `AnthropicChatClient` is made. */
export interface AnthropicChatClientOptions {
  /** The model that is asked when a request names none, such as `claude-sonnet-5`. */
  readonly model: string;
  /** Default: the environment's `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string;
  /** Default: the environment's `ANTHROPIC_BASE_URL`, else the vendor's own address. */
  readonly baseURL?: string;
  /** A ready instance of the vendor's SDK, with its own key, address, retries and headers. */
  readonly client?: Anthropic;
  /**
   * How often the SDK itself repeats a failed request. Default 0: retries belong into a layer, where
   * budgets and telemetry see them.
   */
  readonly maxRetries?: number;
  /** Headers of every request, such as `anthropic-beta`. */
  readonly defaultHeaders?: Readonly<Record<string, string>>;
}

const optionNames: ReadonlySet<string> = new Set<keyof AnthropicChatClientOptions>([
  "model",
  "apiKey",
  "baseURL",
  "client",
  "maxRetries",
  "defaultHeaders",
]);

/** What a ready client has already decided. */
const decidedByClient = ["apiKey", "baseURL", "maxRetries", "defaultHeaders"] as const;

/**
 * The SDK instance that the options ask for.
 *
 * @throws ConfigurationError for unknown options, two sources of one setting, or no key.
 */
export function toSdkClient(options: AnthropicChatClientOptions): Anthropic {
  checkOptionNames("AnthropicChatClient", options, optionNames);
  if (typeof options.model !== "string" || options.model === "") {
    throw new ConfigurationError(
      "invalid_option",
      'AnthropicChatClient: model must be a name, such as "claude-sonnet-5".',
    );
  }
  const { client, maxRetries = 0, defaultHeaders } = options;
  if (client) {
    for (const name of decidedByClient) {
      if (options[name] === undefined) continue;
      throw new ConfigurationError(
        "two_sources",
        `AnthropicChatClient: ${name} is part of the client that was given. Set it there, or give no client.`,
      );
    }
    return client;
  }
  const baseURL = options.baseURL ?? environment("ANTHROPIC_BASE_URL");
  return new Anthropic({
    ...credentials(options.apiKey, baseURL),
    ...(baseURL !== undefined && { baseURL }),
    maxRetries,
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

function environment(name: string): string | undefined {
  return typeof process === "undefined" ? undefined : process.env[name] || undefined;
}
