import type { WireFormat } from "@tunic/testing/wire";

/** The protocol in which something is asked at an address. */
export function formatOf(url: string): WireFormat {
  if (url.includes("/chat/completions")) return "openai-chat";
  if (url.includes("/responses")) return "openai-responses";
  return url.includes("/messages") ? "anthropic" : "gemini";
}
