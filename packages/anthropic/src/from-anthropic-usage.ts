import type Anthropic from "@anthropic-ai/sdk";
import type { Usage } from "@tunic/core";

/** Usage as it comes in: servers that speak the protocol leave members out. */
export type WireUsage = Partial<Anthropic.Usage> | Partial<Anthropic.MessageDeltaUsage>;

/**
 * Collects the counts of one answer. What a stream reports is cumulative: later counts replace
 * earlier ones and are never added to them.
 */
export class UsageReader {
  #input: number | undefined;
  #output: number | undefined;
  #cacheRead: number | undefined;
  #cacheWrite: number | undefined;
  #reasoning: number | undefined;

  read(usage: WireUsage | null | undefined): void {
    if (!usage) return;
    this.#input = later(this.#input, usage.input_tokens);
    this.#output = later(this.#output, usage.output_tokens);
    this.#cacheRead = later(this.#cacheRead, usage.cache_read_input_tokens);
    this.#cacheWrite = later(this.#cacheWrite, usage.cache_creation_input_tokens);
    this.#reasoning = later(this.#reasoning, usage.output_tokens_details?.thinking_tokens);
  }

  /**
   * `inputTokens` counts all input. The service counts what came from or went into its cache apart
   * from `input_tokens`; here these are parts of the whole.
   */
  get usage(): Usage | undefined {
    if (this.#input === undefined && this.#output === undefined) return undefined;
    const inputTokens = (this.#input ?? 0) + (this.#cacheRead ?? 0) + (this.#cacheWrite ?? 0);
    const outputTokens = this.#output ?? 0;
    return {
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      ...(this.#cacheRead !== undefined && { cachedInputTokens: this.#cacheRead }),
      ...(this.#cacheWrite !== undefined && { cacheWriteInputTokens: this.#cacheWrite }),
      ...(this.#reasoning !== undefined && { reasoningTokens: this.#reasoning }),
    };
  }
}

/** Cumulative counts never shrink; a smaller one comes from a server that fills gaps with 0. */
function later(known: number | undefined, next: number | null | undefined): number | undefined {
  if (typeof next !== "number" || !Number.isFinite(next)) return known;
  return known === undefined ? next : Math.max(known, next);
}
