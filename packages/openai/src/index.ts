// The public surface of @tunic/openai. What is named here is API; nothing else is.

export type { Replay } from "./chat-completions/assistant-replay.js";
export { OpenAIChatClient } from "./chat-completions/openai-chat-client.js";
export {
  type ToOpenAIMessagesOptions,
  toOpenAIMessages,
} from "./chat-completions/to-openai-messages.js";
export { type ToOpenAIToolsOptions, toOpenAITools } from "./chat-completions/to-openai-tools.js";
export { OpenAIResponsesClient } from "./responses/openai-responses-client.js";
export type { OpenAIResponsesClientOptions } from "./responses/responses-client-options.js";
export {
  type ToOpenAIResponsesInputOptions,
  toOpenAIResponsesInput,
} from "./responses/to-responses-input.js";
export {
  type ToOpenAIResponsesToolsOptions,
  toOpenAIResponsesTools,
} from "./responses/to-responses-tools.js";
export type { OpenAIChatClientOptions } from "./sdk-client.js";
export type { ReasoningMember } from "./service.js";
export { namesOnWire as openAIToolNames } from "./tool-names.js";
