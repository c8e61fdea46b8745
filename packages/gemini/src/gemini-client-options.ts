import { GoogleGenAI } from "@google/genai";
import { ConfigurationError, checkClientOptions, type VendorSdk } from "@tunic/core";
import { generationOf } from "./model-generation.js";

/** How a `GeminiChatClient` is made. */
export interface GeminiChatClientOptions {
  /** The model that is asked when a request names none, such as `gemini-3.5-flash`. */
  readonly model: string;
  /**
   * Default: the environment's `GEMINI_API_KEY`, then `GOOGLE_API_KEY`. With a `baseURL` it may be
   * missing; the environment's goes there, too.
   */
  readonly apiKey?: string | undefined;
  /** Default: the environment's `GOOGLE_GEMINI_BASE_URL`, else the vendor's own address. */
  readonly baseURL?: string | undefined;
  /**
   * A ready instance of the vendor's SDK, with its own key, address, retries and headers; also the way
   * to Vertex AI: `new GoogleGenAI({ vertexai: true, project, location })`.
   */
  readonly client?: GoogleGenAI | undefined;
  /**
   * How often the SDK itself repeats a failed request. Default 0: retries belong into a layer, where
   * budgets and telemetry see them.
   */
  readonly maxRetries?: number | undefined;
  /** Headers of every request. */
  readonly defaultHeaders?: Readonly<Record<string, string>> | undefined;
  /**
   * The generation of the models that are asked, such as 2 or 3, where their names do not tell: tuned
   * models, deployments, aliases. It decides what only newer models take. Default: by the name
   * (`gemini-3…` and `gemini-…-latest` are 3), 2 for names that are not known.
   */
  readonly modelGeneration?: number | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof GeminiChatClientOptions>([
  "model",
  "apiKey",
  "baseURL",
  "client",
  "maxRetries",
  "defaultHeaders",
  "modelGeneration",
]);

const geminiSdk: VendorSdk = {
  words: 'an instance of GoogleGenAI, of the package "@google/genai"',
  fits({ models }: Partial<GoogleGenAI>) {
    return typeof models?.generateContentStream === "function";
  },
};

/** What a client keeps of its options. */
export interface GeminiConnection {
  readonly sdk: GoogleGenAI;
  readonly generationOf: (model: string) => number;
}

/**
 * The SDK instance that the options ask for.
 *
 * @throws ConfigurationError for unknown options, two sources of one setting, or no key.
 */
export function toConnection(options: GeminiChatClientOptions): GeminiConnection {
  const { modelGeneration, ...connecting } = options ?? {};
  // The generation is none of the SDK's settings: it may stand beside a ready client.
  checkClientOptions(
    "GeminiChatClient",
    typeof options === "object" && options !== null ? connecting : options,
    optionNames,
    geminiSdk,
  );
  if (
    modelGeneration !== undefined &&
    !(Number.isInteger(modelGeneration) && modelGeneration > 0)
  ) {
    throw new ConfigurationError(
      "invalid_option",
      `GeminiChatClient: modelGeneration must be a whole number, such as 3; got ${String(modelGeneration)}.`,
    );
  }
  return {
    sdk: options.client ?? newClient(options),
    generationOf: modelGeneration === undefined ? generationOf : () => modelGeneration,
  };
}

function newClient(options: GeminiChatClientOptions): GoogleGenAI {
  const { maxRetries = 0, defaultHeaders } = options;
  const baseURL = options.baseURL ?? environment("GOOGLE_GEMINI_BASE_URL");
  const apiKey = keyFor(options.apiKey, baseURL);
  return quietly(
    () =>
      new GoogleGenAI({
        apiKey,
        // Whatever the environment says: Vertex AI needs more than a key, so it comes as a client.
        vertexai: false,
        httpOptions: {
          ...(baseURL !== undefined && { baseUrl: baseURL }),
          ...(defaultHeaders && { headers: { ...defaultHeaders } }),
          ...(maxRetries > 0 && { retryOptions: { attempts: maxRetries + 1 } }),
        },
      }),
  );
}

function keyFor(given: string | undefined, baseURL: string | undefined): string {
  const apiKey = given || environment("GEMINI_API_KEY") || environment("GOOGLE_API_KEY");
  if (apiKey) return apiKey;
  // Servers of one's own often want no key, but the SDK warns about a client without one.
  if (baseURL !== undefined) return "none";
  throw new ConfigurationError(
    "missing_api_key",
    "GeminiChatClient: no API key. Set GEMINI_API_KEY or pass apiKey; for Vertex AI and other ways to sign in pass a client.",
  );
}

/**
 * The SDK's constructor looks into the environment by itself, whatever it was given, and warns on the
 * console where it finds two keys. A terminal may belong to somebody else.
 */
function quietly<Value>(make: () => Value): Value {
  const { warn } = console;
  console.warn = () => {};
  try {
    return make();
  } finally {
    console.warn = warn;
  }
}

/** Browsers have no environment. */
function environment(name: string): string | undefined {
  return typeof process === "undefined" ? undefined : process.env[name]?.trim() || undefined;
}
