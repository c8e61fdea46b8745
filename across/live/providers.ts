import { AnthropicChatClient } from "@tunic/anthropic";
import type { ChatClient } from "@tunic/core";
import { GeminiChatClient } from "@tunic/gemini";
import { OpenAIChatClient, OpenAIResponsesClient } from "@tunic/openai";

export interface LiveProvider {
  /** The environment variable that holds the key. */
  readonly key: string;
  readonly defaultModel: string;
  /** What stands behind the address of a server of one's own. */
  readonly path: string;
  create(settings: { readonly model: string; readonly baseURL?: string }): ChatClient;
}

export const providers: Readonly<Record<string, LiveProvider>> = {
  openai: {
    key: "OPENAI_API_KEY",
    defaultModel: "gpt-5-mini",
    path: "/v1",
    create: (settings) => new OpenAIChatClient(settings),
  },
  "openai-responses": {
    key: "OPENAI_API_KEY",
    defaultModel: "gpt-5-mini",
    path: "/v1",
    create: (settings) => new OpenAIResponsesClient(settings),
  },
  anthropic: {
    key: "ANTHROPIC_API_KEY",
    defaultModel: "claude-haiku-4-5",
    path: "",
    create: (settings) => new AnthropicChatClient(settings),
  },
  gemini: {
    key: "GEMINI_API_KEY",
    defaultModel: "gemini-3.5-flash",
    path: "",
    create: (settings) => new GeminiChatClient(settings),
  },
};
