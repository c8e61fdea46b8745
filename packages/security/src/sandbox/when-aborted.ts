/** Who waits for a signal, under the one listener that it has of ours. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once when a signal fires. However many wait for one signal, it has one listener: a run can start dozens
 * of processes at once, and Node warns of a leak from the eleventh listener on.
 *
 * @returns the function that takes it back.
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  const all = waiting.get(signal) ?? begin(signal);
  const own = () => callback();
  all.add(own);
  return () => {
    all.delete(own);
    if (all.size === 0 && waiting.get(signal) === all) end(signal);
  };
}

const listeners = new WeakMap<AbortSignal, () => void>();

function begin(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  const listener = () => {
    end(signal);
    for (const each of all) each();
  };
  waiting.set(signal, all);
  listeners.set(signal, listener);
  signal.addEventListener("abort", listener);
  return all;
}

function end(signal: AbortSignal): void {
  const listener = listeners.get(signal);
  if (listener) signal.removeEventListener("abort", listener);
  listeners.delete(signal);
  waiting.delete(signal);
}
