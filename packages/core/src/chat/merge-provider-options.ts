import { ConfigurationError } from "../errors/configuration-error.js";
import { isJsonObject, type JsonObject } from "../messages/json.js";

/** Whose options are merged, and what of the request is not theirs to set. */
export interface ProviderOptionsTerms {
  /** The key in `providerOptions`. */
  readonly provider: string;
  /** Members that the client writes itself, whatever the options are. */
  readonly reserved?: readonly string[] | undefined;
}

/**
 * A request and what `providerOptions` adds to it, for chat clients. Objects are merged one level deep.
 *
 * @param asked What the chat options have come to; a member that is undefined is not set.
 * @param own The service's own words.
 * @throws ConfigurationError `two_sources` for a setting that both make, `invalid_option` for one that
 * the client writes itself.
 */
export function mergeProviderOptions(
  asked: Readonly<Record<string, unknown>>,
  own: JsonObject,
  { provider, reserved = [] }: ProviderOptionsTerms,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...asked };
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue;
    const option = `providerOptions.${provider}.${name}`;
    if (reserved.includes(name)) {
      throw new ConfigurationError("invalid_option", `${option} is written by the client itself.`);
    }
    const known = Object.hasOwn(asked, name) ? asked[name] : undefined;
    if (known === undefined) define(merged, name, value);
    else if (isJsonObject(known) && isJsonObject(value)) {
      merged[name] = mergeMembers(known, value, option);
    } else throw twoSources(option);
  }
  return merged;
}

function mergeMembers(known: JsonObject, own: JsonObject, option: string): JsonObject {
  for (const name of Object.keys(own)) {
    if (Object.hasOwn(known, name) && known[name] !== undefined) {
      throw twoSources(`${option}.${name}`);
    }
  }
  return { ...known, ...own };
}

/** Defined, not assigned: an option may be named "__proto__". */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function twoSources(option: string): ConfigurationError {
  return new ConfigurationError(
    "two_sources",
    `${option} says what another option says already. Set it in one place only.`,
  );
}
