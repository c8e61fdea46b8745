import type { RunEnvironment } from "@tunic/core";

/** A clock that stands still until it is told to go on, and ids that count. */
export interface ManualEnvironment extends RunEnvironment {
  /**
   * Lets time pass: timers fire in order, and work that waits for them goes on between them.
   *
   * @param ms Milliseconds.
   */
  advance(ms: number): Promise<void>;
  /** How many timers wait. */
  readonly timers: number;
}

/** @param start What `now()` says at first, in milliseconds since the epoch. Default 0. */
export function manualEnvironment(start = 0): ManualEnvironment {
  let time = start;
  let ids = 0;
  const waiting = new Map<number, { readonly at: number; readonly callback: () => void }>();
  let timers = 0;
  return {
    now: () => time,
    setTimer(callback, ms) {
      const timer = timers++;
      waiting.set(timer, { at: time + Math.max(0, ms), callback });
      return () => {
        waiting.delete(timer);
      };
    },
    randomId: () => `${++ids}`,
    get timers() {
      return waiting.size;
    },
    async advance(ms) {
      const end = time + ms;
      await settle();
      for (;;) {
        const next = [...waiting].filter(([, timer]) => timer.at <= end).sort(byTime)[0];
        if (next === undefined) break;
        const [key, timer] = next;
        waiting.delete(key);
        time = Math.max(time, timer.at);
        timer.callback();
        await settle();
      }
      time = end;
    },
  };
}

function byTime(
  [keyA, a]: [number, { readonly at: number }],
  [keyB, b]: [number, { readonly at: number }],
): number {
  return a.at - b.at || keyA - keyB;
}

/** Until every promise that could settle has settled: a macrotask comes after all microtasks. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
