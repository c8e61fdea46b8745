import type { Usage } from "@tunic/core";
import { isRecord, recordAt } from "../wire-values.js";

/** Counts of tokens as the service reports them; undefined where it reports none. */
export function fromResponsesUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const input = recordAt(value, "input_tokens_details");
  const output = recordAt(value, "output_tokens_details");
  const counts: readonly (readonly [keyof Usage & string, unknown])[] = [
    ["inputTokens", value["input_tokens"]],
    ["outputTokens", value["output_tokens"]],
    ["totalTokens", value["total_tokens"]],
    ["cachedInputTokens", input["cached_tokens"]],
    ["cacheWriteInputTokens", input["cache_write_tokens"]],
    ["reasoningTokens", output["reasoning_tokens"]],
  ];
  const known = counts.filter(
    (each): each is [string, number] => Number.isFinite(each[1]) && Number(each[1]) >= 0,
  );
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}
