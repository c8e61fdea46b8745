import { ChatClientError, type ChatOptions } from "@tunic/core";

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
