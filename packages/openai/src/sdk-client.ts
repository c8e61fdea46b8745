import { ConfigurationError, checkClientOptions, isJsonObject, type VendorSdk } from "@tunic/core";
import OpenAI, { type ClientOptions } from "openai";
import { fetchWithErrors } from "./error-body.js";
import type { ReasoningMember } from "./service.js";

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
  /**
   * A ready SDK instance, used as it is, its own retries included. Excludes `apiKey`, `baseURL`,
   * `organization`, `maxRetries` and `defaultHeaders`.
   */
  readonly client?: OpenAI | undefined;
  readonly organization?: string | undefined;
  /**
   * How often the SDK asks again. Default 0: a retry layer around this client sees every attempt,
   * can be stopped, and takes back what was streamed; two of them would multiply.
   */
  readonly maxRetries?: number | undefined;
  /** Sent with every request. */
  readonly defaultHeaders?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether tools (with `strict` `"auto"`) and response formats are sent in OpenAI's strict form where
   * they have one. Default: at OpenAI and Azure OpenAI, and not at other servers, of which many do not
   * know it. A tool or a format that says `strict: true` is sent strictly everywhere.
   */
  readonly strictTools?: boolean | undefined;
  /**
   * How an answer in `options.responseFormat` is asked for: `native` (default) with `response_format`, `tool`
   * with a tool that the model has to call, for servers that do not know `json_schema`.
   */
  readonly structuredOutputs?: "native" | "tool" | undefined;
  /**
   * Which member a model's reasoning goes back in, in turns with calls. Default: the service gets
   * back what it has sent, in the member in which it came, and nobody else gets it. A name sends all
   * that came from services of this protocol, and an empty text where there was none (not with
   * `reasoning_details`). OpenAI itself is never sent any.
   */
  readonly replayReasoning?: ReasoningMember | "never" | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof OpenAIChatClientOptions>([
  "model",
  "apiKey",
  "baseURL",
  "client",
  "organization",
  "maxRetries",
  "defaultHeaders",
  "strictTools",
  "structuredOutputs",
  "replayReasoning",
]);

/** What a ready client has to be. */
export const openAISdk: VendorSdk = {
  words: 'an instance of OpenAI, of the package "openai"',
  fits(client: Partial<OpenAI>) {
    const { chat, responses, baseURL } = client;
    return [chat?.completions?.create, responses?.create].every(isFunction) && !!baseURL;
  },
};

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

/** What each of the client's own settings may be. */
const choices: Readonly<Record<string, readonly unknown[]>> = {
  strictTools: [true, false],
  structuredOutputs: ["native", "tool"],
  replayReasoning: ["reasoning_content", "reasoning", "reasoning_details", "never"],
};

/**
 * The SDK instance that the options describe.
 *
 * @throws ConfigurationError for an unknown option, a missing model or key, or two sources of one
 * setting.
 */
export function sdkClient(options: OpenAIChatClientOptions): OpenAI {
  // What a ready client leaves open may be said beside it.
  const { strictTools, structuredOutputs, replayReasoning, ...connection } = options ?? {};
  const given = isJsonObject(options) ? connection : options;
  checkClientOptions("OpenAIChatClient", given, optionNames, openAISdk);
  for (const [name, value] of Object.entries({ strictTools, structuredOutputs, replayReasoning })) {
    const allowed = choices[name];
    if (value === undefined || allowed?.includes(value)) continue;
    throw new ConfigurationError(
      "invalid_option",
      `OpenAIChatClient: ${name} must be ${allowed?.map((each) => JSON.stringify(each)).join(" or ")}.`,
    );
  }
  return options.client ?? newClient(connection);
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
    fetch: fetchWithErrors,
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
