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
  /** Further counts of a service. */
  readonly [count: string]: number | undefined;
}

/** The sum of two usages, member by member; what is no finite number counts as absent. */
export function addUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (a === undefined) return b === undefined ? undefined : counted(b);
  if (b === undefined) return a;
  const sum: Record<string, number> = { ...counted(a) };
  for (const key of Object.keys(b)) {
    const count = b[key];
    if (Number.isFinite(count)) sum[key] = (sum[key] ?? 0) + (count as number);
  }
  return sum;
}

/** All tokens of a usage: its total where there is one, else input plus output. */
export function totalTokens(usage: Usage | undefined): number {
  if (usage === undefined) return 0;
  return usage.totalTokens ?? (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
}

function counted(usage: Usage): Record<string, number> {
  const result: Record<string, number> = {};
  for (const key of Object.keys(usage)) {
    const count = usage[key];
    if (Number.isFinite(count)) result[key] = count as number;
  }
  return result;
}
