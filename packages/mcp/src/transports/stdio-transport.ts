import type { ChildProcess } from "node:child_process";
import type { McpLogEntry } from "../client/mcp-client.js";
import { McpError } from "../mcp-error.js";
import { type ChildTerms, endChild, startChild } from "./child-process.js";
import { lineSplitter } from "./line-splitter.js";
import { noiseLog } from "./noise-log.js";
import { startFailure } from "./start-failure.js";
import { errorMessage, readWireLine, type WireMessage } from "./wire-message.js";

/** A server that is started here, as a transport of either line of the SDK. */
export interface StdioTransport {
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: WireMessage) => void) | undefined;
  readonly pid: number | null;
  /** Present, so that the SDK takes it for what it is. Its lines go to the log. */
  readonly stderr: null;
  /** The last lines that the server has written to its error output. */
  readonly lastWords: string;
}

export interface StdioTerms extends ChildTerms {
  /** Of one message. What is longer is answered with an error in the server's place. */
  readonly maxMessageBytes: number;
  readonly log?: ((entry: McpLogEntry) => void) | undefined;
}

/** How long output is waited for, when the server has ended and something else holds its pipes. */
const drainMs = 500;

/**
 * Unlike the SDK's own, it lives with what servers do: lines that are no protocol go to the log, one message
 * that is too long fails one request, and with the server ends what the server has started.
 */
export function stdioTransport(terms: StdioTerms): StdioTransport {
  let child: ChildProcess | undefined;
  let closed = false;
  const noise = noiseLog(terms.log);

  const transport: StdioTransport = {
    stderr: null,
    get pid() {
      return child?.pid ?? null;
    },
    get lastWords() {
      return noise.lastWords;
    },
    start() {
      return new Promise((resolve, reject) => {
        child = startChild(terms);
        listen(child);
        child.once("spawn", resolve);
        child.once("error", (error) => {
          reject(startFailure(error, terms));
          transport.onerror?.(error);
          finish();
        });
      });
    },
    send(message) {
      return new Promise((resolve, reject) => {
        const input = child?.stdin;
        if (closed || !input?.writable) {
          reject(new McpError("mcp_connection_lost", "The server has ended.", { notSent: true }));
          return;
        }
        // What the system has taken, the server may have read: a failure here says nothing about that.
        input.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
      });
    },
    async close() {
      if (child !== undefined) await endChild(child);
      finish();
    },
  };

  function listen(server: ChildProcess): void {
    const lines = lineSplitter({ maxBytes: terms.maxMessageBytes, onLine, onTooLong });
    server.stdout?.on("data", (chunk: Buffer) => lines.push(chunk));
    const words = lineSplitter({
      maxBytes: 65_536,
      onLine: (line) => noise.add("stderr", line),
      onTooLong: (head) => noise.add("stderr", head),
    });
    server.stderr?.on("data", (chunk: Buffer) => words.push(chunk));
    for (const stream of [server.stdin, server.stdout, server.stderr]) {
      stream?.on("error", (error) => transport.onerror?.(error));
    }
    server.once("close", finish);
    server.once("exit", () => setTimeout(finish, drainMs).unref());
  }

  function onLine(line: string): void {
    const messages = readWireLine(line);
    if (messages === undefined) noise.add("stdout", line);
    else for (const message of messages) hand(message);
  }

  function onTooLong(head: string, tail: string, bytes: number): void {
    const id = answeredId(head, tail);
    const what = `The server has sent ${bytes} bytes as one message; at most ${terms.maxMessageBytes} are read.`;
    if (id === undefined) noise.add("stdout", `${what} It begins: ${head}`);
    else hand(errorMessage(id, what));
  }

  /** A message that breaks the SDK, such as one nested too deeply to be written into its log, is no end of this process. */
  function hand(message: WireMessage): void {
    try {
      transport.onmessage?.(message);
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  function finish(): void {
    if (closed) return;
    closed = true;
    transport.onclose?.();
  }

  return transport;
}

/** The id of an answer that was not kept: it stands first or last. */
function answeredId(head: string, tail: string): number | undefined {
  const found =
    /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d+)\s*,/.exec(head) ??
    /^\s*\{\s*"id"\s*:\s*(\d+)\s*,/.exec(head) ??
    /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  return found?.[1] === undefined ? undefined : Number(found[1]);
}
