// The public surface of @tunic/gemini. What is named here is API; nothing else is.

export { GeminiChatClient } from "./gemini-chat-client.js";
export type { GeminiChatClientOptions } from "./gemini-client-options.js";
export {
  type GeminiContents,
  type GeminiContentsOptions,
  toGeminiContents,
} from "./to-gemini.js";
export { toGeminiTools } from "./to-gemini-tools.js";
export type { Notice } from "./to-gemini-turn.js";
export { geminiToolNames } from "./wire-names.js";
