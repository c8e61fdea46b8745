import type { HostedTool, JsonObject } from "@tunic/core";

/** A tool that the service runs. */
export function hosted(name: string, definition: JsonObject): HostedTool {
  return { type: "hosted", provider: "anthropic", name, definition };
}

export const search = hosted("web_search", { type: "web_search_20250305", name: "web_search" });

/** A block with a search, and one with what it brought. */
export const searching = (id: string) => ({
  type: "server_tool_use",
  id,
  name: "web_search",
  input: { query: id },
});
export const found = (id: string) => ({
  type: "web_search_tool_result",
  tool_use_id: id,
  content: [
    {
      type: "web_search_result",
      url: "https://example.com",
      title: "T",
      encrypted_content: `ENC ${id}`,
      page_age: null,
    },
  ],
});
export const text = (said: string) => ({ type: "text", text: said });
