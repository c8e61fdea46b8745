/** Tokens of one or several model calls. A member that the service did not report is absent. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  /** Input tokens that were read from the service's cache; part of `inputTokens`. */
  readonly cachedInputTokens?: number;
  /** Input tokens that were written to the service's cache; part of `inputTokens`. */
  readonly cacheWriteInputTokens?: number;
  /** Output tokens that were spent on reasoning; part of `outputTokens`. */
  readonly reasoningTokens?: number;
  /** Input tokens that were sound; part of `inputTokens`. */
  readonly inputAudioTokens?: number;
  /** Output tokens that were sound; part of `outputTokens`. */
  readonly outputAudioTokens?: number;
  /** Further counts of a service. */
  readonly [count: string]: number | undefined;
}

/** The sum of two usages, member by member; what is no count counts as absent. */
export function addUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (a === undefined && b === undefined) return undefined;
  const sum = new Map<string, number>();
  for (const usage of [a, b]) {
    for (const [key, count] of Object.entries(usage ?? {})) {
      if (isCount(count)) sum.set(key, (sum.get(key) ?? 0) + count);
    }
  }
  return Object.fromEntries(sum);
}

/** All tokens of a usage: its total where there is one, else input plus output. */
export function totalTokens(usage: Usage | undefined): number {
  if (usage === undefined) return 0;
  const count = (value: unknown): number => (isCount(value) ? value : 0);
  if (isCount(usage.totalTokens)) return usage.totalTokens;
  return count(usage.inputTokens) + count(usage.outputTokens);
}

/** A count below zero would give tokens back to a budget. */
function isCount(value: unknown): value is number {
  return Number.isFinite(value) && Number(value) >= 0;
}
