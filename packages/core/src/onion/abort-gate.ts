import { onAbort } from "./on-abort.js";

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
    // A plain list, not AbortSignal.any: that one is slow and keeps what it has seen (Node 20, 22).
    this.#links ??= [];
    this.#links.push(onAbort(signal, stop));
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

function ignore(): void {}
