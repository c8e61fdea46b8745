import type Anthropic from "@anthropic-ai/sdk";
import { addUsage, type Usage } from "@tunic/core";

/** Usage as it comes in: servers that speak the protocol leave members out. */
export type WireUsage = Partial<Anthropic.Usage> | Partial<Anthropic.MessageDeltaUsage>;

/** The service's counts by ours. */
interface Counts {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite5m?: number;
  cacheWrite1h?: number;
  reasoning?: number;
  webSearches?: number;
  webFetches?: number;
}

/**
 * Collects the counts of the answers behind one response. What a stream reports is cumulative: later
 * counts of an answer replace earlier ones and are never added to them; those of several answers are.
 */
export class UsageReader {
  #counts: Counts = {};
  #before: Usage | undefined;

  read(usage: WireUsage | null | undefined): void {
    if (!usage) return;
    const counts = this.#counts;
    const take = (name: keyof Counts, next: unknown): void => {
      const count = later(counts[name], next);
      if (count !== undefined) counts[name] = count;
    };
    take("input", usage.input_tokens);
    take("output", usage.output_tokens);
    take("cacheRead", usage.cache_read_input_tokens);
    take("cacheWrite", usage.cache_creation_input_tokens);
    take("reasoning", usage.output_tokens_details?.thinking_tokens);
    take("webSearches", usage.server_tool_use?.web_search_requests);
    take("webFetches", usage.server_tool_use?.web_fetch_requests);
    if (!("cache_creation" in usage)) return;
    take("cacheWrite5m", usage.cache_creation?.ephemeral_5m_input_tokens);
    take("cacheWrite1h", usage.cache_creation?.ephemeral_1h_input_tokens);
  }

  /** An answer ends here; what is read next belongs to another one. */
  nextAnswer(): void {
    this.#before = addUsage(this.#before, toUsage(this.#counts));
    this.#counts = {};
  }

  /** Of all answers. */
  get usage(): Usage | undefined {
    return addUsage(this.#before, toUsage(this.#counts));
  }
}

/**
 * `inputTokens` counts all input. The service counts what came from or went into its cache apart from
 * `input_tokens`; here these are parts of the whole. Beside the counts of every service there are
 * `cacheWrite5mInputTokens` and `cacheWrite1hInputTokens`, parts of `cacheWriteInputTokens` by how long
 * the cache keeps them, and `webSearchRequests` and `webFetchRequests`.
 */
function toUsage(counts: Counts): Usage | undefined {
  const { input, output, cacheRead, cacheWrite, cacheWrite5m, cacheWrite1h } = counts;
  if (input === undefined && output === undefined) return undefined;
  const inputTokens = (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
  const outputTokens = output ?? 0;
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(cacheRead !== undefined && { cachedInputTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteInputTokens: cacheWrite }),
    ...(cacheWrite5m !== undefined && { cacheWrite5mInputTokens: cacheWrite5m }),
    ...(cacheWrite1h !== undefined && { cacheWrite1hInputTokens: cacheWrite1h }),
    ...(counts.reasoning !== undefined && { reasoningTokens: counts.reasoning }),
    ...(counts.webSearches !== undefined && { webSearchRequests: counts.webSearches }),
    ...(counts.webFetches !== undefined && { webFetchRequests: counts.webFetches }),
  };
}

/**
 * Cumulative counts never shrink; a smaller one comes from a server that fills gaps with 0. One below
 * zero would give tokens back to a budget.
 */
function later(known: number | undefined, next: unknown): number | undefined {
  if (typeof next !== "number" || !Number.isFinite(next) || next < 0) return known;
  return known === undefined ? next : Math.max(known, next);
}
