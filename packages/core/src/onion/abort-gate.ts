/**
 * The one place where a run can be stopped from. Whatever waits behind the gate is let go in the
 * microtask after the abort, whether the work inside listens to the signal or not.
 */
export class AbortGate {
  #controller: AbortController | undefined;
  #aborted = false;
  #external = false;
  #armed = false;
  #reason: unknown;
  #waiting: Set<(reason: unknown) => void> | undefined;
  #links: (() => void)[] | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  /** Whether anything can stop what goes on; while nothing can, nobody needs to wait behind the gate. */
  get armed(): boolean {
    return this.#armed;
  }

  /** Says that somebody may call {@link abort}. */
  arm(): void {
    this.#armed = true;
  }

  /** Whether the abort came through a signal, that is from outside. */
  get external(): boolean {
    return this.#external;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** Made on first use: most tools never look at it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) for (const reject of waiting) reject(reason);
    this.#controller?.abort(reason);
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  /** Aborts with another signal, until {@link release}. */
  follow(signal: AbortSignal): void {
    this.#armed = true;
    const stop = (): void => {
      this.#external ||= !this.#aborted;
      this.abort(signal.reason);
    };
    if (signal.aborted) {
      stop();
      return;
    }
    // A plain list, not AbortSignal.any: that one is slow and keeps what it has seen (Node 20, 22).
    this.#links ??= [];
    this.#links.push(listen(signal, stop));
  }

  /** Settles with the work, or rejects with the abort's reason as soon as that comes. */
  pass<Value>(work: PromiseLike<Value>): Promise<Value> {
    if (this.#aborted) {
      work.then(undefined, ignore);
      return Promise.reject(this.#reason);
    }
    return new Promise<Value>((resolve, reject) => {
      this.#waiting ??= new Set();
      const waiting = this.#waiting;
      waiting.add(reject);
      work.then(
        (value) => {
          waiting.delete(reject);
          resolve(value);
        },
        (error: unknown) => {
          waiting.delete(reject);
          reject(error);
        },
      );
    });
  }

  /** Lets go of every signal that was followed. */
  release(): void {
    if (this.#links) for (const unlink of this.#links) unlink();
    this.#links = undefined;
  }
}

/** Those who wait for a signal, behind the one listener that it has from here. */
interface Listening {
  readonly stops: Set<() => void>;
  readonly tell: () => void;
}

const listening = new WeakMap<AbortSignal, Listening>();

/**
 * Calls `stop` when the signal fires. However many runs follow one signal, it gets one listener: Node
 * takes more than ten for a leak and warns.
 *
 * @returns the function that ends it.
 */
function listen(signal: AbortSignal, stop: () => void): () => void {
  const { stops, tell } = listening.get(signal) ?? beginListening(signal);
  stops.add(stop);
  return () => {
    stops.delete(stop);
    if (stops.size > 0 || listening.get(signal)?.stops !== stops) return;
    listening.delete(signal);
    signal.removeEventListener("abort", tell);
  };
}

function beginListening(signal: AbortSignal): Listening {
  const stops = new Set<() => void>();
  const tell = (): void => {
    for (const stop of [...stops]) stop();
  };
  const begun = { stops, tell };
  listening.set(signal, begun);
  signal.addEventListener("abort", tell);
  return begun;
}

function ignore(): void {}
