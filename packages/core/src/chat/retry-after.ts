/**
 * The wait that a `Retry-After` header asks for, in milliseconds: it is given in seconds or as a
 * date (RFC 9110). What cannot be read is undefined, what has passed is 0.
 *
 * @param now Milliseconds since the epoch, to read dates against.
 */
export function parseRetryAfter(value: string | null | undefined, now: number): number | undefined {
  const text = value?.trim();
  if (!text) return undefined;
  const seconds = plainNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  // Date.parse takes far more than dates ("-5" is a year to it), so the day name must be there.
  if (!/^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text)) return undefined;
  // The oldest of the three forms of a date names no zone; it means GMT like the others.
  const time = Date.parse(/gmt$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

/**
 * The wait that the headers of a failure ask for, in milliseconds: `retry-after-ms`, which several
 * services send, counts before `Retry-After`.
 *
 * @param now Milliseconds since the epoch, to read dates against.
 */
export function readRetryAfter(
  headers: { get(name: string): string | null } | undefined,
  now: number,
): number | undefined {
  const exact = plainNumber(headers?.get("retry-after-ms")?.trim());
  return exact ?? parseRetryAfter(headers?.get("retry-after"), now);
}

function plainNumber(text: string | undefined): number | undefined {
  if (!text || !/^\d+(\.\d+)?$/.test(text)) return undefined;
  // A number of some hundred digits is infinite.
  return Number.isFinite(Number(text) * 1000) ? Number(text) : undefined;
}
