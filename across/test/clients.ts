import { AnthropicChatClient, toAnthropicTools } from "@tunic/anthropic";
import type { ChatClient, FunctionTool } from "@tunic/core";
import { GeminiChatClient, toGeminiTools } from "@tunic/gemini";
import {
  OpenAIChatClient,
  OpenAIResponsesClient,
  toOpenAIResponsesTools,
  toOpenAITools,
} from "@tunic/openai";
import type { WireFormat } from "@tunic/testing/wire";

interface TestedClient {
  /** @param address Of a server that speaks all protocols. */
  create(address: string): ChatClient;
  /** The tool as it is sent. */
  sent(tool: FunctionTool): unknown;
}

const settings = { model: "model-1", apiKey: "none" };

/** Every client of ours that speaks a protocol. */
export const clients: Readonly<Record<WireFormat, TestedClient>> = {
  "openai-chat": {
    create: (address) => new OpenAIChatClient({ ...settings, baseURL: `${address}/v1` }),
    sent: (tool) => toOpenAITools([tool]),
  },
  "openai-responses": {
    create: (address) => new OpenAIResponsesClient({ ...settings, baseURL: `${address}/v1` }),
    sent: (tool) => toOpenAIResponsesTools([tool]),
  },
  anthropic: {
    create: (baseURL) => new AnthropicChatClient({ ...settings, baseURL }),
    sent: (tool) => toAnthropicTools([tool]),
  },
  gemini: {
    create: (baseURL) => new GeminiChatClient({ ...settings, modelGeneration: 3, baseURL }),
    sent: (tool) => toGeminiTools([tool]),
  },
};
