/** Those who wait for a signal, behind the one listener that it has from here. */
interface Listening {
  readonly stops: Set<() => void>;
  readonly tell: () => void;
}

const listening = new WeakMap<AbortSignal, Listening>();

/**
 * Calls back when a signal fires; at once where it has fired. However many wait for one signal, it gets one listener:
 * that is faster, and Node takes more than ten for a leak and warns.
 *
 * @returns the function that ends it.
 */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  if (signal.aborted) {
    stop();
    return () => {};
  }
  const { stops, tell } = listening.get(signal) ?? begin(signal);
  stops.add(stop);
  return () => {
    stops.delete(stop);
    if (stops.size > 0 || listening.get(signal)?.stops !== stops) return;
    listening.delete(signal);
    signal.removeEventListener("abort", tell);
  };
}

function begin(signal: AbortSignal): Listening {
  const stops = new Set<() => void>();
  const tell = (): void => {
    for (const stop of stops) stop();
  };
  const begun = { stops, tell };
  listening.set(signal, begun);
  signal.addEventListener("abort", tell);
  return begun;
}
