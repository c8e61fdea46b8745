import type { Content } from "../messages/content.js";
import type { RunContext } from "../run/run-context.js";
import type { ChatResponse } from "./chat-client.js";

/** A response of one assistant message, for handlers and clients that answer by themselves. */
export function respond(
  run: RunContext,
  content: string | readonly Content[],
  extras: Partial<ChatResponse> = {},
): ChatResponse {
  const contents: readonly Content[] =
    typeof content === "string" ? [{ type: "text", text: content }] : content;
  const message = {
    id: run.newId("message"),
    role: "assistant" as const,
    contents,
    createdAt: run.now(),
  };
  return { finishReason: "stop", ...extras, messages: [message] };
}
