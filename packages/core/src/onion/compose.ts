import { MiddlewareError } from "../errors/middleware-error.js";
import { MiddlewareTermination } from "../errors/middleware-termination.js";
import { TunicError } from "../errors/tunic-error.js";
import { AbortGate } from "./abort-gate.js";
import type { Bounds, Layer, Next } from "./handler.js";

/** Who may want to know when a layer begins and ends. */
export interface LayerObserver {
  /** Undefined when nobody listens: then nothing is measured. */
  layerStarted?(kind: string, middleware: string): ((failed: boolean) => void) | undefined;
}

/** What an onion knows of its own contexts and results; one for each kind. */
export interface Onion<Context, Result> {
  /** Which kind of handlers it is made of. */
  readonly kind: string;
  /** The run, as far as layers are told of: who listens, and to whom. */
  runOf(own: Context): LayerObserver;
  /** A copy for the inside; with a signal, one that runs under it. */
  inside(own: Context, signal?: AbortSignal): Context;
  /** The signal that the context runs under. */
  signalOf(own: Context): AbortSignal;
  isResult(value: unknown): value is Result;
  /** Before the inside runs: `again` says that it has run before and settled. */
  begin?(own: Context, again: boolean): void | Promise<void>;
  /** After each pass of the inside: what the handler gets of it. */
  passed?(own: Context, inside: Context, result: Result): Result | Promise<Result>;
  /** After the handler: `last` is what its last pass of the inside gave. */
  settle?(own: Context, result: Result, last: Result | undefined): Result | Promise<Result>;
  /** A mistake that nobody else would hear of. */
  stray?(own: Context, error: MiddlewareError): void;
  /** The outcome of a pass that was given up, when it comes in the end. */
  abandoned?(own: Context, outcome: "completed" | "failed", error?: unknown): void;
}

/** The inside of an onion, or the whole of it. */
export type Core<Context, Result> = (context: Context) => Promise<Result>;

/**
 * Puts layers around a core; the first is the outermost. Composed once, it serves any number of
 * runs at the same time. Without layers it is the core itself.
 */
export function compose<Context, Result>(
  layers: readonly Layer<Context, Result>[],
  onion: Onion<Context, Result>,
  core: Core<Context, Result>,
): Core<Context, Result> {
  return layers.reduceRight<Core<Context, Result>>(
    (inner, layer) => (own) => new Passage(layer, onion, own, inner).run(),
    core,
  );
}

/** One pass through one layer. */
class Passage<Context, Result> {
  readonly #layer: Layer<Context, Result>;
  readonly #onion: Onion<Context, Result>;
  readonly #own: Context;
  readonly #inner: Core<Context, Result>;
  #state: "idle" | "running" | "left" = "idle";
  #begun = false;
  #current: Promise<Result> | undefined;
  #mistake: MiddlewareError | undefined;
  #last: Result | undefined;
  /** What the inside has thrown: it passes through, it is not the handler's own. */
  #thrown: unknown[] | undefined;

  constructor(
    layer: Layer<Context, Result>,
    onion: Onion<Context, Result>,
    own: Context,
    inner: Core<Context, Result>,
  ) {
    this.#layer = layer;
    this.#onion = onion;
    this.#own = own;
    this.#inner = inner;
  }

  async run(): Promise<Result> {
    const ended = this.#onion.runOf(this.#own).layerStarted?.(this.#onion.kind, this.#layer.name);
    if (ended === undefined) return this.#run();
    let failed = true;
    try {
      const result = await this.#run();
      failed = false;
      return result;
    } finally {
      ended(failed);
    }
  }

  async #run(): Promise<Result> {
    let result: Result | MiddlewareTermination<Result>;
    try {
      result = await this.#layer.handler(this.#own, this.#next);
    } catch (error) {
      this.#leave();
      throw this.#attributed(error);
    }
    if (this.#leave()) {
      // The handler has let go of it: its failure is nobody's any more.
      this.#current?.catch(ignore);
      throw this.#misuse(
        "left_running",
        "returned while next() was running. It is probably missing an `await` before next().",
      );
    }
    if (this.#mistake) throw this.#mistake;
    if (result instanceof MiddlewareTermination) throw this.#attributed(result);
    if (!this.#onion.isResult(result)) throw this.#noResult(result);
    const { settle } = this.#onion;
    return settle ? settle.call(this.#onion, this.#own, result, this.#last) : result;
  }

  readonly #next: Next<Result> = (bounds) => {
    if (this.#state === "idle") {
      this.#current = this.#pass(bounds);
      return this.#current;
    }
    const mistake =
      this.#state === "running"
        ? this.#misuse(
            "next_while_running",
            "called next() while an earlier next() was running. Await that one first.",
          )
        : this.#misuse("next_after_return", "called next() after it had returned.");
    if (this.#state === "left") this.#onion.stray?.(this.#own, mistake);
    this.#mistake ??= mistake;
    const rejection = Promise.reject(mistake);
    // Told of above, or thrown when the handler returns: nobody has to await this one as well.
    rejection.catch(ignore);
    return rejection;
  };

  async #pass(bounds: Bounds | undefined): Promise<Result> {
    this.#state = "running";
    try {
      const again = this.#begun;
      this.#begun = true;
      const beginning = this.#onion.begin?.(this.#own, again);
      if (beginning) await beginning;
      const signal = bounds?.signal;
      const result = signal ? await this.#bounded(signal) : await this.#through(undefined);
      this.#last = result;
      return result;
    } catch (error) {
      this.#thrown ??= [];
      this.#thrown.push(error);
      throw error;
    } finally {
      if (this.#state === "running") this.#state = "idle";
    }
  }

  async #through(signal: AbortSignal | undefined): Promise<Result> {
    const inside = this.#onion.inside(this.#own, signal);
    const result = await this.#inner(inside);
    const { passed } = this.#onion;
    return passed ? passed.call(this.#onion, this.#own, inside, result) : result;
  }

  async #bounded(signal: AbortSignal): Promise<Result> {
    const gate = new AbortGate();
    gate.follow(this.#onion.signalOf(this.#own));
    gate.follow(signal);
    try {
      gate.throwIfAborted();
      const work = this.#through(gate.signal);
      return await gate.pass(work).catch((error: unknown) => {
        if (gate.aborted && error === gate.reason) this.#tellLater(work);
        throw error;
      });
    } finally {
      gate.release();
    }
  }

  #tellLater(work: Promise<Result>): void {
    work.then(
      () => this.#onion.abandoned?.(this.#own, "completed"),
      (error: unknown) => this.#onion.abandoned?.(this.#own, "failed", error),
    );
  }

  /** Whether the inside was still running. */
  #leave(): boolean {
    const running = this.#state === "running";
    this.#state = "left";
    return running;
  }

  #attributed(error: unknown): unknown {
    if (error instanceof MiddlewareTermination) error.endedBy ??= this.#layer.name;
    if (this.#thrown?.includes(error) || error instanceof TunicError) return error;
    const reason = error instanceof Error ? error.message : String(error);
    return this.#misuse("handler_failed", `failed: ${reason}`, error);
  }

  #noResult(result: unknown): MiddlewareError {
    return result === undefined
      ? this.#misuse(
          "nothing_returned",
          "returned nothing. Return what next() gave, or a result of its own.",
        )
      : this.#misuse(
          "wrong_result",
          "returned something that is no result of this kind of handler.",
        );
  }

  #misuse(code: string, message: string, cause?: unknown): MiddlewareError {
    return new MiddlewareError(
      code,
      this.#layer.name,
      message,
      cause === undefined ? {} : { cause },
    );
  }
}

function ignore(): void {}
