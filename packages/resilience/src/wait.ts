import { type RunContext, withAbort } from "@tunic/core";

/**
 * Waits on the clock of a run. Rejects with the signal's reason as soon as it fires; timer and listener
 * are gone then, too.
 */
export async function wait(run: RunContext, ms: number, signal: AbortSignal): Promise<void> {
  let cancel = (): void => {};
  const over = (): Promise<void> =>
    new Promise((resolve) => {
      cancel = run.setTimer(resolve, ms);
    });
  try {
    await withAbort(signal, over);
  } finally {
    cancel();
  }
}
