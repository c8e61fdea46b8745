/**
 * Runs work under a signal of its own and rejects with the caller's reason as soon as that aborts.
 * The SDK leaves its listener on the signal it is given, so it never gets the caller's.
 */
export async function withAbort<Value>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  if (signal === undefined) return await work(controller.signal);
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(signal.reason);
      controller.abort(signal.reason);
    };
  });
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([work(controller.signal), aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
