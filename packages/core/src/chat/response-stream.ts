import { ConfigurationError } from "../errors/configuration-error.js";
import { StreamClosedError } from "../errors/run-errors.js";
import type { Update } from "../messages/update.js";
import { AbortGate } from "../onion/abort-gate.js";
import type { ChatClient, ChatRequest, ChatResponse } from "./chat-client.js";
import { withAbort } from "./with-abort.js";

/**
 * An answer on its way: to be iterated once (updates, or `text` for strings; a second time throws a
 * ConfigurationError `stream_taken`), or just awaited. What
 * nobody has asked for yet is kept without a bound; once somebody iterates, producers wait for them.
 */
export interface ResponseStream<Response> extends AsyncIterable<Update> {
  /** The whole answer. Awaiting it alone, without iterating, always ends. */
  readonly response: Promise<Response>;
  /** The text of the answer, piece by piece. What is retracted later cannot be taken back here. */
  readonly text: AsyncIterable<string>;
}

/** How a stream keeps what waits for its consumer. */
export interface StreamOptions {
  /** How many updates may wait before producers do. Default 256. */
  readonly highWaterMark?: number | undefined;
}

/**
 * Asks a chat client and gives the answer as a stream. The work starts at once, in the caller's
 * async context. Leaving the iteration early aborts it.
 */
export function streamResponse(
  client: ChatClient,
  request: Omit<ChatRequest, "onUpdate">,
  options?: StreamOptions,
): ResponseStream<ChatResponse> {
  return openStream(
    // A client that does not listen to its signal must hold up nobody who leaves.
    (onUpdate, signal) =>
      withAbort(signal, (own) => client.getResponse({ ...request, onUpdate, signal: own })),
    request.signal,
    options,
  );
}

/** Turns pushed updates into pulled ones. `start` runs at once, under its own signal. */
export function openStream<Response>(
  start: (
    onUpdate: (update: Update) => void | Promise<void>,
    signal: AbortSignal,
  ) => Promise<Response>,
  callerSignal?: AbortSignal,
  options: StreamOptions = {},
): ResponseStream<Response> {
  const gate = new AbortGate();
  if (callerSignal) gate.follow(callerSignal);
  const queue = new UpdateQueue(options.highWaterMark ?? 256);
  // async: a throw before the first promise is a rejection too.
  const response = (async () => start((update) => queue.push(update), gate.signal))();
  const settled = response.then(
    () => queue.end(),
    (error: unknown) => queue.fail(error),
  );
  // Whoever iterates sees the failure there; `response` need not be awaited as well.
  settled.finally(() => gate.release()).catch(() => {});

  let taken = false;
  const iterate = (): AsyncIterableIterator<Update> => {
    if (taken) {
      throw new ConfigurationError(
        "stream_taken",
        "A response stream can be iterated once, as itself or as `text`; it has been already. `await stream.response` has the whole.",
      );
    }
    taken = true;
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () => queue.next(),
      async return() {
        queue.close();
        gate.abort(new StreamClosedError());
        await settled;
        return { value: undefined, done: true };
      },
    };
  };
  return {
    response,
    text: { [Symbol.asyncIterator]: () => textOnly(iterate()) },
    [Symbol.asyncIterator]: iterate,
  };
}

/** By hand, because a generator's `return` waits for a pull that waits, and does nothing before the first. */
function textOnly(updates: AsyncIterator<Update>): AsyncIterableIterator<string> {
  let pieces: string[] = [];
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      for (;;) {
        const piece = pieces.shift();
        if (piece !== undefined) return { value: piece, done: false };
        const { value: update, done } = await updates.next();
        if (done) return { value: undefined, done: true };
        pieces = textsIn(update);
      }
    },
    async return() {
      pieces = [];
      await updates.return?.();
      return { value: undefined, done: true };
    },
  };
}

function textsIn(update: Update): string[] {
  if (update.type !== "delta" || update.role !== "assistant") return [];
  return update.contents.flatMap((content) =>
    content.type === "text" && content.text !== "" ? [content.text] : [],
  );
}

type Result = IteratorResult<Update, undefined>;
interface Reader {
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

/** Between producers that push and one consumer that pulls. */
class UpdateQueue {
  readonly #highWaterMark: number;
  #items: (Update | undefined)[] = [];
  #head = 0;
  #readers: Reader[] = [];
  #pulled = false;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #closed = false;
  #room: Promise<void> | undefined;
  #openRoom: (() => void) | undefined;

  constructor(highWaterMark: number) {
    this.#highWaterMark = highWaterMark;
  }

  push(update: Update): void | Promise<void> {
    if (this.#closed || this.#ended || this.#failure) return;
    const reader = this.#readers.shift();
    if (reader) {
      reader.resolve({ value: update, done: false });
      return;
    }
    this.#items.push(update);
    if (!this.#pulled || this.#items.length - this.#head < this.#highWaterMark) return;
    // One promise for all producers that wait: none of them can be forgotten.
    this.#room ??= new Promise((resolve) => {
      this.#openRoom = resolve;
    });
    return this.#room;
  }

  next(): Promise<Result> {
    this.#pulled = true;
    if (this.#head < this.#items.length)
      return Promise.resolve({ value: this.#take(), done: false });
    if (this.#failure && !this.#closed) {
      const { error } = this.#failure;
      this.#failure = undefined;
      this.#ended = true;
      return Promise.reject(error);
    }
    if (this.#ended || this.#closed) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject });
    });
  }

  end(): void {
    this.#ended = true;
    for (const reader of this.#readers) reader.resolve({ value: undefined, done: true });
    this.#readers = [];
  }

  fail(error: unknown): void {
    const reader = this.#readers.shift();
    if (reader) reader.reject(error);
    else this.#failure = { error };
    if (reader) this.end();
  }

  close(): void {
    this.#closed = true;
    this.#items = [];
    this.#head = 0;
    this.#release();
    this.end();
  }

  #take(): Update {
    const update = this.#items[this.#head] as Update;
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) {
      this.#items.length = this.#head = 0;
      this.#release();
      return update;
    }
    // A queue that never runs empty would keep a place for everything it ever held.
    if (this.#head >= 1024) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    if (this.#room && this.#items.length - this.#head < this.#highWaterMark / 2) this.#release();
    return update;
  }

  #release(): void {
    this.#openRoom?.();
    this.#room = this.#openRoom = undefined;
  }
}
