import {
  ChatClientError,
  type ChatOptions,
  ConfigurationError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@tunic/core";

const nowhere = ["seed", "frequencyPenalty", "presencePenalty", "conversationId"] as const;

/** Removed by version 2026-10-21 of the API, which is the one that the SDK asks for. */
const removed = { temperature: "temperature", topP: "top_p" } as const;

/** @throws ChatClientError `unsupported` for an option that the service has no word for. */
export function checkOptions(options: ChatOptions): void {
  for (const name of nowhere) if (options[name] !== undefined) throw unsupportedOption(name);
  for (const [name, wireName] of Object.entries(removed)) {
    if (options[name as keyof typeof removed] === undefined) continue;
    throw unsupportedOption(
      name,
      ` (For a server that still takes it: providerOptions.anthropic.${wireName}, with the header "anthropic-version: 2023-06-01".)`,
    );
  }
  for (const name of Object.keys(options.metadata ?? {})) {
    if (name !== "user_id")
      throw unsupportedOption(`metadata.${name}`, " It stores one tag, user_id.");
  }
}

function unsupportedOption(name: string, hint = ""): ChatClientError {
  return new ChatClientError(
    "unsupported",
    `Anthropic's Messages API has nothing like options.${name}: leave it out when this client is asked.${hint}`,
  );
}

/** What this client writes itself, whatever the options are. */
const reserved = ["messages", "stream"];

/** @throws ConfigurationError `invalid_option` for what the client writes itself. */
export function checkReserved(own: JsonObject): void {
  for (const name of reserved) {
    if (own[name] === undefined) continue;
    throw new ConfigurationError(
      "invalid_option",
      `providerOptions.anthropic.${name} is written by the client itself.`,
    );
  }
}

/**
 * Both together. Objects are merged one level deep; a setting with two sources is an error.
 *
 * @throws ConfigurationError `two_sources`
 */
export function mergeOnce(
  asked: Readonly<Record<string, unknown>>,
  own: JsonObject,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...asked };
  for (const [name, value] of Object.entries(own)) {
    const known = asked[name];
    if (known === undefined) merged[name] = value;
    else if (isJsonObject(known) && isJsonObject(value))
      merged[name] = mergeMembers(name, known, value);
    else throw twoSources(name);
  }
  return merged;
}

function mergeMembers(
  name: string,
  known: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, JsonValue>>,
) {
  for (const key of Object.keys(own))
    if (known[key] !== undefined) throw twoSources(`${name}.${key}`);
  return { ...known, ...own };
}

function twoSources(name: string): ConfigurationError {
  return new ConfigurationError(
    "two_sources",
    `providerOptions.anthropic.${name} says what another option says already. Set it in one place only.`,
  );
}
