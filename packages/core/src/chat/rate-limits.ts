import { parseRetryAfter } from "./retry-after.js";

/** How much of something a service still gives. A member that it did not report is absent. */
export interface RateLimit {
  readonly limit?: number;
  readonly remaining?: number;
  /** When the whole limit is there again, in milliseconds since the epoch. */
  readonly resetAt?: number;
}

/** By what is counted, as the service calls it: `requests`, `tokens`, `input-tokens` … */
export type RateLimits = Readonly<Record<string, RateLimit>>;

/**
 * What the headers of an answer say of rate limits; undefined where they say nothing. Two forms are
 * read: `x-ratelimit-remaining-tokens` (OpenAI and most compatible services) and
 * `anthropic-ratelimit-tokens-remaining`. The reset may be a date, a duration or a number of seconds.
 *
 * @param now Milliseconds since the epoch, to read durations against.
 */
export function readRateLimits(
  headers: Iterable<readonly [name: string, value: string]>,
  now: number,
): RateLimits | undefined {
  const limits = new Map<string, Record<string, number>>();
  for (const [name, value] of headers) {
    const [, field, counted] = readName(name.toLowerCase()) ?? [];
    if (field === undefined || counted === undefined) continue;
    const number = field === "reset" ? readReset(value.trim(), now) : readCount(value.trim());
    if (number === undefined) continue;
    const limit = limits.get(counted) ?? {};
    limit[field === "reset" ? "resetAt" : field] = number;
    limits.set(counted, limit);
  }
  return limits.size > 0 ? Object.fromEntries(limits) : undefined;
}

function readName(name: string): readonly (string | undefined)[] | undefined {
  const fieldFirst = /^x-ratelimit-(limit|remaining|reset)-(.+)$/.exec(name);
  if (fieldFirst) return fieldFirst;
  const fieldLast = /^anthropic-ratelimit-(.+)-(limit|remaining|reset)$/.exec(name);
  return fieldLast ? [name, fieldLast[2], fieldLast[1]] : undefined;
}

function readCount(value: string): number | undefined {
  // A number of some hundred digits is infinite, which no JSON says.
  return /^-?\d{1,15}(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

function readReset(value: string, now: number): number | undefined {
  if (/^\d{4}-\d\d-\d\dT/.test(value)) {
    const time = Date.parse(value);
    return Number.isNaN(time) ? undefined : time;
  }
  if (/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(value)) {
    let sum = 0;
    for (const [, count, , unit = ""] of value.matchAll(/(\d+(\.\d+)?)(ms|[smhd])/g)) {
      sum += Number(count) * (unitMs[unit] ?? 0);
    }
    return Number.isFinite(sum) ? now + Math.round(sum) : undefined;
  }
  const wait = parseRetryAfter(value, now);
  return wait === undefined ? undefined : now + wait;
}
