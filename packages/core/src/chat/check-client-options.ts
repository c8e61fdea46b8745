import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import { isJsonObject } from "../messages/json.js";

/** The vendor's SDK, of which a ready instance may be given. */
export interface VendorSdk {
  /** Such as `an instance of OpenAI, of the package "openai"`. */
  readonly words: string;
  /** Whether a value has the methods that will be called. */
  fits(client: object): boolean;
}

/**
 * Checks what the options of all chat clients over a vendor's SDK have in common: an object of known
 * names, a model, and no further setting beside a ready `client`, which has made it already.
 *
 * @param what The name of the class.
 * @param sdk What a ready client has to be.
 * @throws ConfigurationError `unknown_option`, `invalid_option` or `two_sources`.
 */
export function checkClientOptions(
  what: string,
  options: { readonly model: string; readonly client?: object | undefined },
  known: ReadonlySet<string>,
  sdk?: VendorSdk,
): void {
  if (!isJsonObject(options)) {
    const model = typeof options === "string" && options !== "" ? options : "…";
    throw new ConfigurationError(
      "invalid_option",
      `${what} takes an object: new ${what}({ model: "${model}" }).`,
    );
  }
  checkOptionNames(what, options, known);
  const { model, client, ...settings } = options;
  if (typeof model !== "string" || model === "") {
    throw new ConfigurationError(
      "invalid_option",
      `${what} needs a model: new ${what}({ model: "…" }).`,
    );
  }
  checkAddress(what, settings);
  if (client === undefined) return;
  if (sdk && !(typeof client === "object" && client !== null && sdk.fits(client))) {
    throw new ConfigurationError("invalid_option", `${what}: client must be ${sdk.words}.`);
  }
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    throw new ConfigurationError(
      "two_sources",
      `${what} was given a client and ${name}. Set ${name} on the client, or leave the client out.`,
    );
  }
}

function checkAddress(what: string, { baseURL }: { readonly baseURL?: unknown }): void {
  if (baseURL === undefined) return;
  if (typeof baseURL === "string" && /^https?:\/\//i.test(baseURL) && URL.canParse(baseURL)) return;
  throw new ConfigurationError(
    "invalid_option",
    `${what}: baseURL must be an address with http:// or https://, such as "http://127.0.0.1:8080"; got ${JSON.stringify(baseURL)}.`,
  );
}
