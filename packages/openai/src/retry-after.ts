/** Where headers are read from: a `Headers` object. */
export interface HeaderSource {
  get(name: string): string | null;
}

/**
 * How many milliseconds a service asks to wait: its own `retry-after-ms`, or `retry-after` in
 * seconds or as a date (RFC 9110). What cannot be read is undefined, what has passed is 0.
 */
export function retryAfterMs(headers: HeaderSource, now: number): number | undefined {
  const precise = plainNumber(headers.get("retry-after-ms"));
  if (precise !== undefined) return precise;
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  const seconds = plainNumber(value);
  if (seconds !== undefined) return seconds * 1000;
  // Date.parse takes far more than dates ("-5" is a year to it), so the day name must be there.
  if (!/^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(value)) return undefined;
  // The oldest of the three forms of a date names no zone; it means GMT like the others.
  const time = Date.parse(/gmt$/i.test(value) ? value : `${value} GMT`);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

function plainNumber(value: string | null | undefined): number | undefined {
  return value && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}
