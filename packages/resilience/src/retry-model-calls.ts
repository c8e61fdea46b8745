import { ChatClientError, type ChatContext, chatMiddleware, type Middleware } from "@tunic/core";
import { askedWaitMs, backOffMs } from "./back-off.js";
import {
  type RetryModelCallsOptions,
  type RetrySettings,
  retrySettings,
} from "./retry-settings.js";
import { wait } from "./wait.js";

export type { RetryModelCallsOptions } from "./retry-settings.js";

/**
 * A chat middleware that asks the model again when its service has failed and says that the same may succeed
 * later (a `ChatClientError` with `retryable`). It stands around the model call alone: no tool runs again.
 *
 * It waits on the run's clock, exponentially longer each time, and never shorter than the service asks
 * (`retryAfterMs`). It gives up at once, with the error that came, where the service asks for more than
 * `maxRetryAfterMs`, where the run's time would be over before the next attempt, where the run has used up its
 * retries, and where something of the answer was streamed already (unless `afterUpdates`). An abort ends the wait
 * with the signal's reason.
 *
 * Notices: `model_call_retried` before each wait, `model_call_given_up` where it gives up on a failure that was
 * worth a retry. `response.usage` is that of the attempt that succeeded: no service tells what a failed one
 * has cost.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`.
 */
export function retryModelCalls(options: RetryModelCallsOptions = {}): Middleware {
  const settings = retrySettings(options);
  return chatMiddleware(settings.name, async (context, next) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await next();
      } catch (error) {
        await again(context, error, attempt, settings);
      }
    }
  });
}

/** Waits until the next attempt, or throws what the last one has thrown. */
async function again(
  context: ChatContext,
  error: unknown,
  attempt: number,
  settings: RetrySettings,
): Promise<void> {
  const { run, signal } = context;
  // The reason of an abort may be any error, also one that looks like a service's.
  if (signal.aborted || !(error instanceof ChatClientError)) throw error;
  if (!(await settings.retryOn(error, attempt))) throw error;
  signal.throwIfAborted();
  const asked = askedWaitMs(error.retryAfterMs) ?? 0;
  const delayMs = Math.max(asked, backOffMs(attempt, settings));
  const failed = `Attempt ${attempt} of ${settings.maxAttempts} at a model call failed (${error.code})`;
  const reason = whyNot(context, asked, delayMs, attempt, settings);
  if (reason !== undefined) {
    run.notice("model_call_given_up", `${failed}, and there is no other: ${reason}.`, error);
    throw error;
  }
  run.notice("model_call_retried", `${failed}; the next one is in ${delayMs} ms.`, error);
  await wait(run, delayMs, signal);
}

/** Why a failure that is worth it is not followed by another attempt. The budget comes last: to ask is to take. */
function whyNot(
  { run, shown }: ChatContext,
  asked: number,
  delayMs: number,
  attempt: number,
  { maxAttempts, afterUpdates, maxRetryAfterMs, budget }: RetrySettings,
): string | undefined {
  if (attempt >= maxAttempts) return "it was the last";
  if (shown && !afterUpdates) return "something of the answer was streamed already";
  if (asked > maxRetryAfterMs) {
    return `the service asks to wait ${asked} ms, and maxRetryAfterMs is ${maxRetryAfterMs}`;
  }
  if (delayMs >= run.remainingMs) return "the time of the run is over before it could begin";
  if (!budget.take(run)) return `the run has used up its retries (${budget.maxRetries})`;
  return undefined;
}
