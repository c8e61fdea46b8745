import type { Usage } from "@tunic/core";
import { isRecord, recordAt, type WireRecord } from "../wire-values.js";

/** Counts of tokens as the service reports them; undefined where it reports none. */
function fromOpenAIUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const input = recordAt(value, "prompt_tokens_details");
  const output = recordAt(value, "completion_tokens_details");
  const counts: Record<string, number> = {};
  count(counts, "inputTokens", value["prompt_tokens"]);
  count(counts, "outputTokens", value["completion_tokens"]);
  count(counts, "totalTokens", value["total_tokens"]);
  count(counts, "cachedInputTokens", cachedTokens(value, input));
  count(counts, "cacheWriteInputTokens", input["cache_write_tokens"]);
  count(counts, "reasoningTokens", output["reasoning_tokens"]);
  count(counts, "inputAudioTokens", input["audio_tokens"]);
  count(counts, "outputAudioTokens", output["audio_tokens"]);
  count(counts, "acceptedPredictionTokens", output["accepted_prediction_tokens"]);
  count(counts, "rejectedPredictionTokens", output["rejected_prediction_tokens"]);
  return Object.keys(counts).length > 0 ? counts : undefined;
}

/** The usage of a chunk or completion, wherever this service puts it. */
export function usageIn(answer: WireRecord, choice: WireRecord | undefined): Usage | undefined {
  return (
    fromOpenAIUsage(answer["usage"]) ??
    fromOpenAIUsage(choice?.["usage"]) ??
    fromOpenAIUsage(recordAt(answer, "x_groq")["usage"])
  );
}

/** Two compatible services count cache reads under names of their own. */
function cachedTokens(usage: WireRecord, details: WireRecord): unknown {
  return details["cached_tokens"] ?? usage["prompt_cache_hit_tokens"] ?? usage["cached_tokens"];
}

function count(counts: Record<string, number>, name: keyof Usage & string, value: unknown): void {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) counts[name] = value;
}
