import { ChatClientError } from "@tunic/core";
import type { ScriptedAnswer } from "@tunic/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { retryBudget, retryModelCalls } from "../src/index.js";
import { noticesOf, play, scripted } from "./support.js";

/** One answer of a model: whether it fails, how, and after how many pieces. */
interface Attempt {
  readonly fails: boolean;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly pieces: number;
}

const attempt: fc.Arbitrary<Attempt> = fc.record({
  fails: fc.boolean(),
  retryable: fc.boolean(),
  retryAfterMs: fc.constantFrom(undefined, 0, 700, 5000, 20_000, Number.NaN),
  pieces: fc.nat(2),
});

const scene = fc.record({
  attempts: fc.array(attempt, { minLength: 1, maxLength: 7 }),
  streamed: fc.boolean(),
  maxAttempts: fc.integer({ min: 1, max: 6 }),
  maxRetries: fc.nat(5),
  initialDelayMs: fc.constantFrom(0, 1, 1000),
  factor: fc.constantFrom(1, 2, 10),
  maxDelayMs: fc.constantFrom(0, 1500, 60_000),
  maxRetryAfterMs: fc.constantFrom(0, 5000),
  afterUpdates: fc.boolean(),
  jitter: fc.constantFrom(0, 0.5, "full" as const),
  maxDurationMs: fc.constantFrom(undefined, 1, 2500, 100_000),
});

type Scene = typeof scene extends fc.Arbitrary<infer Value> ? Value : never;

/** The rule in words of its own: how often is asked, how long is waited, and whether it ends well. */
function expected(given: Scene): { asked: number; waitedMs: number; works: boolean } {
  let waitedMs = 0;
  for (let asked = 1; ; asked++) {
    const { fails, retryable, retryAfterMs, pieces } = given.attempts[asked - 1] ?? exhausted;
    if (!fails) return { asked, waitedMs, works: true };
    const asks = retryAfterMs !== undefined && retryAfterMs > 0 ? retryAfterMs : 0;
    const planned = given.initialDelayMs * given.factor ** (asked - 1);
    // The random number is always 0.25.
    const spread = { 0: 1, 0.5: 0.75, full: 0.25 }[given.jitter];
    const wait = Math.max(asks, Math.floor(Math.min(given.maxDelayMs, planned * (spread ?? 0))));
    const again =
      retryable &&
      asked < given.maxAttempts &&
      asked <= given.maxRetries &&
      asks <= given.maxRetryAfterMs &&
      waitedMs + wait < (given.maxDurationMs ?? Infinity) &&
      (given.afterUpdates || !given.streamed || pieces === 0);
    if (!again) return { asked, waitedMs, works: false };
    waitedMs += wait;
  }
}

const exhausted: Attempt = { fails: true, retryable: false, retryAfterMs: undefined, pieces: 0 };

function turnOf({ fails, retryable, retryAfterMs, pieces }: Attempt): ScriptedAnswer {
  const text = "abcd".repeat(3);
  if (!fails) return { text };
  const error = new ChatClientError("overloaded", "Busy.", { retryable, retryAfterMs });
  return { text, error, errorAfter: pieces };
}

it("asks as often and waits as long as the rule says, and the consumer has the response", async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (given) => {
      const { attempts, streamed, maxRetries, maxDurationMs, ...options } = given;
      const client = scripted("test", attempts.map(turnOf));
      const budget = retryBudget({ maxRetries });
      const middleware = [retryModelCalls({ ...options, budget, random: () => 0.25 })];
      const invocation = { maxDurationMs };
      const played = play({ client, middleware, invocation }, { streamed });
      const { asked, waitedMs, works } = expected(given);
      // finish() compares what was folded with the response.
      if (works) expect((await played.finish()).text).toBe("abcd".repeat(3));
      else expect(await played.failure()).toBeInstanceOf(ChatClientError);
      expect(client.requests).toHaveLength(asked);
      const ends = played.events.filter(({ type }) => type === "model.end");
      expect(ends).toHaveLength(1);
      expect(ends[0]).toMatchObject({ durationMs: waitedMs });
      const retried = noticesOf(played.events).filter((code) => code === "model_call_retried");
      expect(retried).toHaveLength(asked - 1);
    }),
    { numRuns: 300 },
  );
});
