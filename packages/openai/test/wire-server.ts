import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type WireFormat, wireProblems } from "@tunic/testing/wire";

/** What the server answers to one request. */
export interface WireReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A whole answer: text as it is, anything else as JSON. */
  readonly body?: unknown;
  /** A streamed answer: text is sent as data as it is, anything else as JSON. */
  readonly chunks?: readonly unknown[];
  /** How a stream ends: with [DONE], just so, with a broken connection, or not at all. */
  readonly end?: "done" | "close" | "destroy" | "never";
  /** Cuts the bytes of a stream into the pieces that are written one by one. */
  readonly cut?: (bytes: Uint8Array) => readonly Uint8Array[];
}

/** A request as it came in. */
export interface WireRequest {
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}

/** What is particular to one of the two APIs. */
interface Protocol {
  readonly format: WireFormat;
  readonly path: string;
  /** How a stream ends where a reply does not say. */
  readonly end: NonNullable<WireReply["end"]>;
  /** A piece of a stream as it is written. */
  asEvent(chunk: unknown): string;
}

const chatCompletions: Protocol = {
  format: "openai-chat",
  path: "/v1/chat/completions",
  end: "done",
  asEvent: (chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\r\n\r\n`,
};

/**
 * A server on the loopback interface that plays prepared answers, one for each request. It takes no
 * request that breaks the vendor's rules, and `stop` throws where one has.
 */
export class WireServer implements AsyncDisposable {
  readonly requests: WireRequest[] = [];
  readonly #protocol: Protocol;
  /** What was wrong with the requests that came in. */
  readonly #problems: string[] = [];
  readonly #replies: WireReply[] = [];
  #always: ((request: WireRequest) => WireReply) | undefined;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #onClosed: (() => void) | undefined;
  /** Settles when a client has left a stream that never ends. */
  readonly closedByClient = new Promise<void>((resolve) => {
    this.#onClosed = resolve;
  });
  url = "";

  protected constructor(protocol: Protocol) {
    this.#protocol = protocol;
  }

  static start(): Promise<WireServer> {
    return new WireServer(chatCompletions).listen();
  }

  protected async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}/v1`;
    return this;
  }

  /** Prepares the answers to the next requests. */
  reply(...replies: readonly WireReply[]): this {
    this.#replies.push(...replies);
    return this;
  }

  /** Says how every request is answered for which nothing was prepared. */
  always(answer: (request: WireRequest) => WireReply): this {
    this.#always = answer;
    return this;
  }

  get bodies(): readonly Record<string, unknown>[] {
    return this.requests.map(({ body }) => body);
  }

  get lastBody(): Record<string, unknown> {
    const body = this.bodies.at(-1);
    if (body === undefined) throw new Error("No request has come in.");
    return body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Throws where a request was not what the vendor takes, whatever the test made of the answer. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    const problems = this.#problems.splice(0);
    if (problems.length > 0) throw new Error(`Not what the vendor takes: ${problems.join("; ")}`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body: Record<string, unknown> = JSON.parse(Buffer.concat(pieces).toString());
    const asked = { headers: request.headers, body };
    this.requests.push(asked);
    const { format, path } = this.#protocol;
    const problems = wireProblems(format, body);
    this.#problems.push(...problems);
    if (problems.length > 0) {
      const error = { message: `Not what the vendor takes: ${problems.join("; ")}` };
      response.writeHead(418, json).end(JSON.stringify({ error }));
      return;
    }
    const found = request.url === path;
    const reply = found ? (this.#replies.shift() ?? this.#always?.(asked)) : undefined;
    if (reply === undefined) response.writeHead(404, json).end("{}");
    else if (reply.chunks) await this.#stream(reply, reply.chunks, response);
    else {
      const { body: answer } = reply;
      response.writeHead(reply.status ?? 200, { ...json, ...reply.headers });
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
    }
  }

  async #stream(
    reply: WireReply,
    chunks: readonly unknown[],
    response: ServerResponse,
  ): Promise<void> {
    const { end = this.#protocol.end } = reply;
    response.on("close", () => !response.writableFinished && this.#onClosed?.());
    const headers = { "content-type": "text/event-stream", ...reply.headers };
    response.writeHead(reply.status ?? 200, headers);
    const events = end === "done" ? [...chunks, "[DONE]"] : chunks;
    const bytes = Buffer.from(events.map(this.#protocol.asEvent).join(""));
    for (const piece of reply.cut?.(bytes) ?? [bytes]) {
      // Waiting for the socket keeps the pieces apart.
      await new Promise((resolve) => response.write(piece, resolve));
    }
    if (end === "destroy") response.destroy();
    else if (end !== "never") response.end();
  }
}

const json = { "content-type": "application/json" };
