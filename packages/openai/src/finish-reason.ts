/** The words for an end, with those of compatible services that mean the same. */
const words: ReadonlyMap<string, string> = new Map([
  ...["stop", "eos", "eos_token", "end_turn", "stop_sequence"].map(
    (word) => [word, "stop"] as const,
  ),
  ...["length", "max_tokens", "model_length", "max_output_tokens"].map(
    (word) => [word, "length"] as const,
  ),
  ...["tool_calls", "function_call", "tool_use"].map((word) => [word, "tool_calls"] as const),
  ...["content_filter", "sensitive", "safety"].map((word) => [word, "content_filter"] as const),
]);

/** A service's word for why an answer ended in our words; one that nobody knows stays as it is. */
export function fromFinishReason(reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : (words.get(reason.toLowerCase()) ?? reason);
}
