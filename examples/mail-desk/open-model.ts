import { AnthropicChatClient } from "@tunic/anthropic";
import type { ChatClient } from "@tunic/core";
import { GeminiChatClient } from "@tunic/gemini";
import { OpenAIChatClient } from "@tunic/openai";
import type { Desk, ModelChoice } from "./command-line.js";
import { gullibleAnswer } from "./gullible-script.js";
import { nextAnswer } from "./script.js";
import { startScriptedModel } from "./scripted-model.js";

/** A model that is ready to be asked. */
export interface OpenModel {
  readonly client: ChatClient;
  /** For people. */
  readonly description: string;
  close(): Promise<void>;
}

const clients = {
  openai: OpenAIChatClient,
  anthropic: AnthropicChatClient,
  gemini: GeminiChatClient,
};

/** The model that was chosen. The scripted one is asked in exactly the way a live one is. */
export async function openModel(choice: ModelChoice, desk: Desk): Promise<OpenModel> {
  if (choice.provider === "scripted") {
    const { baseURL, close } = await startScriptedModel(({ messages, tools = [] }) =>
      desk === "careful" ? nextAnswer(messages) : gullibleAnswer(messages, tools.length > 0),
    );
    const description = `a scripted model at ${baseURL} (no key, no live model; see --help)`;
    // A key of the environment is nothing for this server.
    const client = new OpenAIChatClient({ model: "scripted", baseURL, apiKey: "none" });
    return { client, description, close };
  }
  const { provider, ...options } = choice;
  const client = new clients[provider](options);
  const at = options.baseURL === undefined ? "" : ` at ${options.baseURL}`;
  return { client, description: `${provider} ${options.model}${at}`, close: async () => {} };
}
