import { ConfigurationError, checkClientOptions, isJsonObject } from "@tunic/core";
import type OpenAI from "openai";
import { newClient, type OpenAIChatClientOptions, openAISdk } from "../sdk-client.js";
import { serviceAt } from "../service.js";

/** How an SDK instance is made; the same for all clients of this package. */
type Connection = Pick<
  OpenAIChatClientOptions,
  "apiKey" | "baseURL" | "client" | "organization" | "maxRetries" | "defaultHeaders"
>;

/** How an `OpenAIResponsesClient` reaches its service, and what it wants kept there. */
export interface OpenAIResponsesClientOptions extends Connection {
  /** The model that is asked when the options of a request name none. */
  readonly model: string;
  /**
   * Whether the service keeps the answers. Then each response has a `conversationId`, and a request with
   * that id sends only what is new. Default false: nothing stays with the service, every request
   * carries the whole conversation, reasoning in encrypted form included.
   */
  readonly store?: boolean | undefined;
  /**
   * Whether tools (with `strict` `"auto"`) and response formats are sent in OpenAI's strict form where
   * they have one. Default: at OpenAI and Azure OpenAI, and not at other servers. A tool or a format that
   * says `strict: true` is sent strictly everywhere.
   */
  readonly strictTools?: boolean | undefined;
}

/** The options as the client uses them. */
export interface ResponsesSettings {
  readonly sdk: OpenAI;
  readonly model: string;
  readonly store: boolean;
  readonly strict: boolean;
  /** The host of the service, with its port. */
  readonly origin: string;
}

const what = "OpenAIResponsesClient";

const names: ReadonlySet<string> = new Set<keyof OpenAIResponsesClientOptions>([
  "model",
  "apiKey",
  "baseURL",
  "client",
  "organization",
  "maxRetries",
  "defaultHeaders",
  "store",
  "strictTools",
]);

/**
 * What the options come to.
 *
 * @throws ConfigurationError for an unknown option, a missing model or key, or two sources of one
 * setting.
 */
export function readResponsesOptions(options: OpenAIResponsesClientOptions): ResponsesSettings {
  // What a ready client leaves open may be said beside it.
  const { store, strictTools, ...connection } = options ?? {};
  checkClientOptions(what, isJsonObject(options) ? connection : options, names, openAISdk);
  for (const [name, value] of Object.entries({ store, strictTools })) {
    if (value === undefined || typeof value === "boolean") continue;
    throw new ConfigurationError("invalid_option", `${what}: ${name} must be true or false.`);
  }
  const sdk = options.client ?? newClient(connection, what);
  const { isOpenAI, origin } = serviceAt(sdk.baseURL);
  return {
    sdk,
    model: options.model,
    store: store ?? false,
    origin,
    strict: strictTools ?? isOpenAI,
  };
}
