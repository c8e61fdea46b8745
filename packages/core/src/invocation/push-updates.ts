import type { FunctionResultContent } from "../messages/content.js";
import type { Update } from "../messages/update.js";
import { isThenable } from "../onion/is-thenable.js";
import type { Run } from "../run/run.js";
import type { OpenBatch } from "./run-log.js";

type Push = (update: Update) => void | Promise<void>;

/**
 * The way to a run's consumer: waiting for it is counted apart and ends with the run, and a
 * consumer that throws stops the run with what it threw.
 *
 * @param failed Told of that, too: a handler might catch what the run is stopped with.
 */
export function pusher(run: Run, onUpdate: Push, failed?: (error: unknown) => void): Push {
  const fail = (error: unknown): never => {
    failed?.(error);
    run.gate.abort(error);
    throw error;
  };
  return (update) => {
    // Nothing is sent any more, whoever still has something to say.
    run.gate.throwIfAborted();
    let room: Promise<unknown> | undefined;
    try {
      const returned: unknown = onUpdate(update);
      if (isThenable(returned)) room = Promise.resolve(returned);
    } catch (error) {
      return fail(error);
    }
    if (room === undefined) return;
    const sent = run.gate.pass(run.waitFor(room.then(undefined, fail)));
    // A tool that does not wait for its progress must not end the process when the run is stopped.
    sent.catch(() => {});
    return sent;
  };
}

/** Sends the results of a batch, each as soon as those before it are there. */
export class ResultSender {
  readonly #batch: OpenBatch;
  readonly #emit: Push | undefined;
  #next = 0;

  constructor(batch: OpenBatch, emit: Push | undefined) {
    this.#batch = batch;
    this.#emit = emit;
  }

  /** Sends what can be sent now; with `all`, calls that stay open hold nothing up. */
  send(all = false): void | Promise<void> {
    if (this.#emit === undefined) return;
    const { results } = this.#batch;
    const ready: FunctionResultContent[] = [];
    for (; this.#next < results.length; this.#next++) {
      const result = results[this.#next];
      if (result) ready.push(result);
      else if (!all) break;
    }
    if (ready.length === 0) return;
    return this.#emit({
      type: "delta",
      messageId: this.#batch.resultsId,
      role: "tool",
      contents: ready,
      createdAt: this.#batch.createdAt,
    });
  }
}
