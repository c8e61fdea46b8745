import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { wireProblems } from "@tunic/testing/wire";
import type { WireReply, WireRequest } from "../wire-server.js";

/**
 * A server on the loopback interface that plays prepared answers of the Responses API, one for each
 * request. It takes no request that breaks the vendor's rules.
 */
export class ResponsesServer implements AsyncDisposable {
  readonly requests: WireRequest[] = [];
  /** What was wrong with requests, all of them. */
  readonly problems: string[] = [];
  readonly #replies: WireReply[] = [];
  #always: ((request: WireRequest) => WireReply) | undefined;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #onClosed: (() => void) | undefined;
  /** Settles when a client has left a stream that never ends. */
  readonly closedByClient = new Promise<void>((resolve) => {
    this.#onClosed = resolve;
  });
  url = "";

  static async start(): Promise<ResponsesServer> {
    const server = new ResponsesServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    const { port } = server.#server.address() as AddressInfo;
    server.url = `http://127.0.0.1:${port}/v1`;
    return server;
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

  /** The input items of the last request. */
  get lastInput(): readonly Record<string, unknown>[] {
    return this.lastBody["input"] as readonly Record<string, unknown>[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    if (this.problems.length > 0) throw new Error(this.problems.join("\n"));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body: Record<string, unknown> = JSON.parse(Buffer.concat(pieces).toString());
    const asked = { headers: request.headers, body };
    this.requests.push(asked);
    const problems = [...wireProblems("openai-responses", body)];
    if (request.url !== "/v1/responses") problems.push(`asked at ${request.url}`);
    if (problems.length > 0) {
      this.problems.push(...problems);
      response.writeHead(400, json);
      response.end(JSON.stringify({ error: { message: problems.join("; ") } }));
      return;
    }
    const reply = this.#replies.shift() ?? this.#always?.(asked);
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
    events: readonly unknown[],
    response: ServerResponse,
  ): Promise<void> {
    const { end = "close" } = reply;
    response.on("close", () => !response.writableFinished && this.#onClosed?.());
    const headers = { "content-type": "text/event-stream", ...reply.headers };
    response.writeHead(reply.status ?? 200, headers);
    const bytes = Buffer.from(events.map(asEvent).join(""));
    for (const piece of reply.cut?.(bytes) ?? [bytes]) {
      // Waiting for the socket keeps the pieces apart.
      await new Promise((resolve) => response.write(piece, resolve));
    }
    if (end === "done") response.write("data: [DONE]\n\n");
    if (end === "destroy") response.destroy();
    else if (end !== "never") response.end();
  }
}

function asEvent(event: unknown): string {
  if (typeof event === "string") return `data: ${event}\n\n`;
  const { type } = event as { readonly type?: unknown };
  const name = typeof type === "string" ? `event: ${type}\n` : "";
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

const json = { "content-type": "application/json" };
