import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { StdioServer } from "../../src/index.js";

/** What a made-up server can do. It runs in a process of its own: only what it is handed is there. */
export interface RawServer {
  /** Answers a method; what it returns is the result. Without an answer: undefined. */
  on(method: string, handler: (params: Params, id: number) => unknown): void;
  /** Gets what the client answers to requests of the server: results, and errors. */
  onAnswer(handler: (id: string | number, answer: unknown) => void): void;
  /** Answers the handshake, with what it can do. Default: tools, which may change. */
  capabilities(capabilities: object): void;
  /** Offers these tools, and answers `tools/list`. */
  tools(...tools: readonly object[]): void;
  /** Sends a message, as it is. */
  send(message: object): void;
  result(id: number, result: unknown): void;
  error(id: number, code: number, message: string, data?: unknown): void;
  notify(method: string, params?: object): void;
  /** Writes to the standard output what may be no protocol. */
  write(text: string): void;
  /** Writes to the error output, which tests read in the log. */
  say(text: string): void;
  text(text: string): { content: readonly { type: "text"; text: string }[] };
  /** How often the server was started before, where it was given a file to count in. */
  readonly starts: number;
}

interface Params {
  readonly name?: string;
  readonly arguments: Record<string, unknown>;
  readonly cursor?: string;
  readonly protocolVersion?: string;
  readonly _meta?: { readonly progressToken?: number };
  readonly requestId?: number;
  readonly reason?: string;
}

const program = fileURLToPath(new URL("raw-server-process.mjs", import.meta.url));

/**
 * A server that speaks JSON-RPC line by line, and otherwise does what it is told, right or wrong. It answers
 * the handshake unless the script does.
 *
 * @param script Sent to the process as its source: nothing from outside it is in reach.
 * @param countFile Where the starts are counted.
 */
export function rawServer(script: (server: RawServer) => void, countFile = ""): StdioServer {
  return rawServerWith({}, script, countFile);
}

/**
 * The same, where several servers differ in something.
 *
 * @param given What the script gets beside the server. It goes along as JSON.
 */
export function rawServerWith<Given extends object>(
  given: Given,
  script: (server: RawServer, given: Given) => void,
  countFile = "",
): StdioServer {
  return {
    command: process.execPath,
    args: [program, script.toString(), JSON.stringify(given), countFile],
  };
}

/** A file for a server that counts its starts, where no other one does. */
export function newCountFile(): string {
  return join(mkdtempSync(join(tmpdir(), "tunic-mcp-")), "starts");
}
