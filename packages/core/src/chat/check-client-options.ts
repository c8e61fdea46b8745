import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import { isJsonObject } from "../messages/json.js";

/**
 * Checks what the options of all chat clients over a vendor's SDK have in common: an object of known
 * names, a model, and no further setting beside a ready `client`, which has made it already.
 *
 * @param what The name of the class.
 * @throws ConfigurationError `unknown_option`, `invalid_option` or `two_sources`.
 */
export function checkClientOptions(
  what: string,
  options: { readonly model: string; readonly client?: object | undefined },
  known: ReadonlySet<string>,
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
  if (client === undefined) return;
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    throw new ConfigurationError(
      "two_sources",
      `${what} was given a client and ${name}. Set ${name} on the client, or leave the client out.`,
    );
  }
}
