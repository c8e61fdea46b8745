/** How long to wait before the next attempt, where the service does not say. */
export interface BackOff {
  readonly initialDelayMs: number;
  readonly factor: number;
  readonly maxDelayMs: number;
  readonly jitter: number | "full";
  readonly random: () => number;
}

/**
 * The wait after a failed attempt, in milliseconds: exponential, spread by the jitter, then cut to
 * `maxDelayMs`. Always finite, and whole.
 *
 * @param attempt Which attempt has failed; the first is 1.
 */
export function backOffMs(
  attempt: number,
  { initialDelayMs, factor, maxDelayMs, jitter, random }: BackOff,
): number {
  // A large power is infinite, and nothing times infinity is no number.
  const power = Math.min(factor ** (attempt - 1), Number.MAX_VALUE);
  const planned = Math.min(initialDelayMs * power, Number.MAX_VALUE);
  const chance = random();
  // A random number of one's own may be none.
  const point = chance >= 0 && chance <= 1 ? chance : 0.5;
  const share = jitter === "full" ? point : 1 + jitter * (2 * point - 1);
  return Math.floor(Math.min(maxDelayMs, planned * share));
}

/**
 * The wait that a service has asked for, in milliseconds. A client of one's own may give anything: what is no
 * time is none, and the back-off decides.
 */
export function askedWaitMs(retryAfterMs: number | undefined): number | undefined {
  return retryAfterMs !== undefined && retryAfterMs >= 0 ? retryAfterMs : undefined;
}
