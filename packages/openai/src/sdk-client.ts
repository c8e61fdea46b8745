import { ConfigurationError, checkClientOptions } from "@tunic/core";
import OpenAI, { type ClientOptions } from "openai";

/** How an {@link OpenAIChatClient} reaches its service. */
export interface OpenAIChatClientOptions {
  /** The model that is asked when the options of a request name none. */
  readonly model: string;
  /**
   * The key, or a function that gets one before each request. Default: `OPENAI_API_KEY` of the
   * environment. With a `baseURL` it may be missing: local servers ask for none.
   */
  readonly apiKey?: (string | (() => Promise<string>)) | undefined;
  /**
   * Where the service is, such as `http://127.0.0.1:8080/v1`. Default: `OPENAI_BASE_URL` of the
   * environment, else OpenAI itself.
   */
  readonly baseURL?: string | undefined;
  /** A ready SDK instance, used as it is, its own retries included. Excludes the other settings. */
  readonly client?: OpenAI | undefined;
  readonly organization?: string | undefined;
  /**
   * How often the SDK asks again. Default 0: a retry layer around this client sees every attempt,
   * can be stopped, and takes back what was streamed; two of them would multiply.
   */
  readonly maxRetries?: number | undefined;
  /** Sent with every request. */
  readonly defaultHeaders?: Readonly<Record<string, string>> | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof OpenAIChatClientOptions>([
  "model",
  "apiKey",
  "baseURL",
  "client",
  "organization",
  "maxRetries",
  "defaultHeaders",
]);

/**
 * The SDK instance that the options describe.
 *
 * @throws ConfigurationError for an unknown option, a missing model or key, or two sources of one
 * setting.
 */
export function sdkClient(options: OpenAIChatClientOptions): OpenAI {
  checkClientOptions("OpenAIChatClient", options, optionNames);
  return options.client ?? newClient(options);
}

/**
 * An SDK instance by its settings.
 *
 * @param what The class that takes them, for error messages.
 * @throws ConfigurationError for a missing key.
 */
export function newClient(options: OpenAIChatClientOptions, what = "OpenAIChatClient"): OpenAI {
  const { apiKey, baseURL, organization, maxRetries = 0, defaultHeaders } = options;
  const elsewhere = baseURL !== undefined || environment("OPENAI_BASE_URL") !== undefined;
  const hasKey = apiKey !== undefined && apiKey !== "";
  if (!hasKey && environment("OPENAI_API_KEY") === undefined && !elsewhere) {
    throw new ConfigurationError(
      "missing_api_key",
      `${what} has no key. Set OPENAI_API_KEY, or pass apiKey; for a local server that ` +
        "asks for none, pass its baseURL.",
    );
  }
  const clientOptions: ClientOptions = {
    maxRetries,
    // Whatever it would print comes back as an error, too.
    ...(environment("OPENAI_LOG") === undefined && { logLevel: "off" }),
    ...(hasKey ? { apiKey } : environment("OPENAI_API_KEY") === undefined && { apiKey: "none" }),
    ...(baseURL !== undefined && { baseURL }),
    ...(organization !== undefined && { organization }),
    ...(defaultHeaders && { defaultHeaders: { ...defaultHeaders } }),
  };
  return new OpenAI(clientOptions);
}

/** Browsers have no environment. */
function environment(name: string): string | undefined {
  if (typeof process === "undefined") return undefined;
  return process.env[name]?.trim() || undefined;
}
