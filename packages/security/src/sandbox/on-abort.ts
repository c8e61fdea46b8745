/** Who waits for a signal; it has one listener, however many they are. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls a function once when a signal fires. Node warns of eleven listeners on one signal, and a run may well have
 * more processes than that at once.
 *
 * @returns Call it when the function is not needed any more.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  const known = waiting.get(signal);
  const calls = known ?? new Set();
  calls.add(call);
  if (known === undefined) {
    waiting.set(signal, calls);
    signal.addEventListener("abort", tell, { once: true });
  }
  return () => {
    calls.delete(call);
    if (calls.size > 0 || waiting.get(signal) !== calls) return;
    waiting.delete(signal);
    signal.removeEventListener("abort", tell);
  };
}

function tell({ currentTarget }: Event): void {
  const signal = currentTarget as AbortSignal;
  const calls = waiting.get(signal) ?? [];
  waiting.delete(signal);
  for (const call of calls) call();
}
