import type { ErrorContent, FinishReason, JsonObject } from "@tunic/core";
import { string } from "./from-anthropic-blocks.js";

/** Why the model stopped, in our words; a reason that has none is kept as it is. */
export function toFinishReason(stopReason: string | undefined): FinishReason | undefined {
  switch (stopReason) {
    case "end_turn":
    case "stop_sequence":
      return "stop";
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "tool_use":
      return "tool_calls";
    case "refusal":
      return "content_filter";
    default:
      return stopReason;
  }
}

/** A refusal, with the reason that the service gives. */
export function refusal(details: JsonObject | undefined): ErrorContent {
  const category = string(details?.["category"]);
  return {
    type: "error",
    message: string(details?.["explanation"]) || "The model refused to answer.",
    code: category === "" ? "refusal" : `refusal_${category}`,
  };
}
