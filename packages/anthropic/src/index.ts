// The public surface of @tunic/anthropic. What is named here is API; nothing else is.

export { AnthropicChatClient } from "./anthropic-chat-client.js";
export type { AnthropicChatClientOptions } from "./anthropic-client-options.js";
export type { PromptCaching } from "./cache-marks.js";
export { defaultMaxTokens } from "./max-tokens.js";
export type { AnswerForm } from "./structured-answer.js";
export { type AnthropicMessages, toAnthropicMessages } from "./to-anthropic.js";
export { anthropicToolNames, toAnthropicTools } from "./to-anthropic-tools.js";
export type { ToolSettings } from "./tool-settings.js";
export type { Notice } from "./wire-block.js";
