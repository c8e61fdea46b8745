import { withAbort } from "@tunic/core";
import type { McpClient } from "../client/mcp-client.js";
import { McpError } from "../mcp-error.js";

export interface ConnectionTerms {
  /** Of the server, for errors. */
  readonly name: string;
  /** `closed` is to be called when the client's connection ends. */
  readonly open: (closed: () => void, signal: AbortSignal) => Promise<McpClient>;
  readonly connectTimeoutMs: number;
  /** What is said where nothing came within so many milliseconds. */
  readonly slow?: ((ms: number) => string) | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** So many connections in a row may fail, or break without having served for anything; then there is a pause. */
const mostFailures = 3;
const pauseMs = 10_000;

/** A client that is being connected, for all who wait for it. */
interface Opening {
  readonly client: Promise<McpClient>;
  readonly controller: AbortController;
  waiting: number;
}

/** One connection for all runs: opened when first needed, and again when it has broken. */
export class Connection {
  readonly #terms: ConnectionTerms;
  /** What ends in the background. */
  readonly #ending = new Set<Promise<void>>();
  #current: McpClient | undefined;
  #opening: Opening | undefined;
  #closed = false;
  #hasServed = false;
  #failures = 0;
  #failedAt = 0;
  #lastFailure: unknown;

  constructor(terms: ConnectionTerms) {
    this.#terms = terms;
  }

  /** The client that is open now. */
  get current(): McpClient | undefined {
    return this.#current;
  }

  /**
   * The open client; opens one where there is none. Whoever comes meanwhile waits for the same, and can stop
   * waiting without ending it for others; when nobody waits any more, it is given up.
   *
   * @throws McpError `mcp_connect_failed`, `mcp_timeout`, or `mcp_closed` after {@link close}; the reason of the
   * signal, as it is.
   */
  async acquire(signal?: AbortSignal): Promise<McpClient> {
    signal?.throwIfAborted();
    if (this.#closed) throw this.#closedError();
    if (this.#current !== undefined) return this.#current;
    if (this.#opening === undefined) this.#throwIfPausing();
    this.#opening ??= this.#open();
    const opening = this.#opening;
    opening.waiting += 1;
    try {
      return await withAbort(signal, () => opening.client);
    } finally {
      opening.waiting -= 1;
      if (opening.waiting === 0) this.#giveUp(opening, nobodyWaits);
    }
  }

  /** A client is of no use any more: the next {@link acquire} opens another one. */
  discard(client: McpClient): void {
    if (this.#current === client) this.#current = undefined;
    this.#end(client);
  }

  /** The server does what it is asked: earlier failures are forgotten. */
  succeeded(): void {
    this.#failures = 0;
    this.#hasServed = true;
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#opening !== undefined) this.#giveUp(this.#opening, this.#closedError());
    if (this.#current !== undefined) this.discard(this.#current);
    // What was being opened ends in steps.
    while (this.#ending.size > 0) await Promise.all(this.#ending);
  }

  #open(): Opening {
    const controller = new AbortController();
    const { connectTimeoutMs, slow } = this.#terms;
    const timer = setTimeout(() => {
      const message =
        slow?.(connectTimeoutMs) ??
        `${this.#who()} did not answer within ${connectTimeoutMs} ms (connectTimeoutMs).`;
      controller.abort(new McpError("mcp_timeout", message, { notSent: true }));
    }, connectTimeoutMs);
    const client = this.#openClient(controller.signal);
    this.#track(client);
    const opening: Opening = { client, controller, waiting: 0 };
    client
      .catch((error: unknown) => {
        // To be given up is no failure of the server, and to be asked who one is, none that a pause would help.
        if (error !== nobodyWaits && !this.#closed && !isAnswered(error)) this.#failed(error);
      })
      .finally(() => {
        clearTimeout(timer);
        if (this.#opening === opening) this.#opening = undefined;
      });
    return opening;
  }

  async #openClient(signal: AbortSignal): Promise<McpClient> {
    let client: McpClient | undefined;
    let hasEnded = false;
    const closed = (): void => {
      hasEnded = true;
      if (client !== undefined) this.#lost(client);
    };
    const work = this.#terms.open(closed, signal);
    // When it is given up, it may come to something all the same.
    this.#track(work.then((late) => (signal.aborted ? late.close() : undefined)));
    client = await withAbort(signal, () => work);
    // In the very turn in which it came.
    if (signal.aborted) {
      this.#end(client);
      throw signal.reason;
    }
    if (hasEnded) throw new McpError("mcp_connect_failed", `${this.#who()} has ended.`);
    this.#current = client;
    this.#hasServed = false;
    return client;
  }

  #giveUp(opening: Opening, reason: unknown): void {
    opening.controller.abort(reason);
    // Whoever comes next begins anew.
    if (this.#opening === opening) this.#opening = undefined;
  }

  #lost(client: McpClient): void {
    if (this.#current !== client) return;
    this.#current = undefined;
    if (this.#hasServed) return;
    this.#failed(new McpError("mcp_connection_lost", `${this.#who()} has ended.`));
  }

  #failed(error: unknown): void {
    this.#failures += 1;
    this.#failedAt = this.#terms.now();
    this.#lastFailure = error;
  }

  #throwIfPausing(): void {
    if (this.#failures < mostFailures || this.#terms.now() - this.#failedAt >= pauseMs) return;
    const cause = this.#lastFailure;
    const why = cause instanceof Error ? ` ${cause.message}` : "";
    throw new McpError(
      "mcp_connect_failed",
      `${this.#who()} has failed ${this.#failures} times in a row, and is left alone for ${pauseMs / 1000} seconds.${why}`,
      { cause, notSent: true },
    );
  }

  #end(client: McpClient): void {
    this.#track(client.close());
  }

  #track(work: Promise<unknown>): void {
    const quiet: Promise<void> = work
      .catch(() => {})
      .then(() => {
        this.#ending.delete(quiet);
      });
    this.#ending.add(quiet);
  }

  #closedError(): McpError {
    return new McpError("mcp_closed", `${this.#who()} was closed.`, { notSent: true });
  }

  #who(): string {
    return `The MCP server "${this.#terms.name}"`;
  }
}

/** The server is there, and wants to know who asks. */
function isAnswered(error: unknown): boolean {
  return error instanceof McpError && error.code === "mcp_unauthorized";
}

const nobodyWaits = new McpError("mcp_closed", "Nobody waits for the connection any more.");
