import {
  type ChatClient,
  ChatClientError,
  type ChatResponse,
  ConfigurationError,
  isJsonObject,
  type Tool,
} from "@tunic/core";
import { invalid } from "./option-checks.js";

/** A chat client among several, and how it is called in ids, notices and errors. */
export interface NamedClient {
  readonly name: string;
  readonly client: ChatClient;
}

/** @throws ConfigurationError `invalid_option` for what cannot stand before the colon of an id. */
export function checkName(what: string, name: unknown): void {
  if (typeof name === "string" && name !== "" && !name.includes(":")) return;
  throw invalid(`${what} must be a text without a colon.`);
}

/** @throws ConfigurationError `invalid_option` for two of one name: ids would lead to the wrong one. */
export function checkUnique(what: string, clients: readonly NamedClient[]): void {
  const names = new Set<string>();
  for (const { name } of clients) {
    if (names.has(name)) throw invalid(`${what}: two clients are named "${name}".`);
    names.add(name);
  }
}

/**
 * Asks every client about the tools: each of them may have to take them.
 *
 * @throws ConfigurationError naming the client that refuses.
 */
export function checkToolsOfAll(
  what: string,
  clients: readonly NamedClient[],
  tools: readonly Tool[],
): void {
  for (const { name, client } of clients) {
    try {
      client.checkTools?.(tools);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const message = `${what}: the client "${name}" cannot take these tools: ${error.message}`;
      throw new ConfigurationError(error.code, message, { cause: error });
    }
  }
}

/** @throws ChatClientError `malformed_response` where a client, written without types, answered nothing. */
export function checkedResponse({ name }: NamedClient, response: unknown): ChatResponse {
  if (isJsonObject(response) && Array.isArray(response["messages"])) {
    return response as unknown as ChatResponse;
  }
  throw new ChatClientError(
    "malformed_response",
    `The client "${name}" returned no response: getResponse must resolve with { messages }.`,
  );
}
