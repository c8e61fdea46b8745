import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@tunic/core";

/** A message as it came in, and the request that brought it. */
export interface Posted {
  readonly id: number | undefined;
  readonly method: string;
  readonly params: JsonObject;
  readonly headers: IncomingMessage["headers"];
}

/** Answers by hand; a plain object is sent as the result, in JSON. A notification has none. */
export type PostHandler = (
  posted: Posted,
  response: ServerResponse,
) => JsonObject | undefined | Promise<JsonObject | undefined>;

/** A server over streamable HTTP that does what it is told, right or wrong, in this process. */
export class RawHttpServer implements AsyncDisposable {
  /** Every request, in order. */
  readonly posted: Posted[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #handlers = new Map<string, PostHandler>();
  url = "";
  /** What is done with a request that is no POST. Default: 405. */
  onOther: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => {
    response.writeHead(405).end();
  };
  /** What is done with an answer to what the server has asked. */
  onAnswer: (id: unknown, answer: unknown) => void = () => {};
  /** What is done before a client that connects is answered, such as with a header for a session. */
  onGreeting: (response: ServerResponse) => void | Promise<void> = () => {};
  /** What is done with a POST before it is read; true: it is answered. */
  onPost: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  /** How an answer is sent. Default: with the response. */
  answer: (message: JsonObject, response: ServerResponse) => void = (message, response) =>
    json(response, message);
  readonly #streams = new Set<ServerResponse>();

  static async start(): Promise<RawHttpServer> {
    const server = new RawHttpServer();
    await server.listen(0);
    return server;
  }

  private constructor() {
    this.on("initialize", async ({ params }, response) => {
      await this.onGreeting(response);
      return {
        protocolVersion: params["protocolVersion"] ?? "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "raw", version: "1" },
      };
    });
    this.tools("go");
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.port}/mcp`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  on(method: string, handler: PostHandler): this {
    this.#handlers.set(method, handler);
    return this;
  }

  tools(...names: readonly string[]): this {
    const tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
    return this.on("tools/list", () => ({ tools }));
  }

  /** Sends a notification over the streams that it keeps. */
  notify(message: JsonObject): void {
    const data = JSON.stringify({ jsonrpc: "2.0", ...message });
    for (const response of this.#streams) response.write(`data: ${data}\n\n`);
  }

  /** A stream that {@link breakStreams} breaks. */
  keep(response: ServerResponse): void {
    this.#streams.add(response);
    response.once("close", () => this.#streams.delete(response));
  }

  breakStreams(): void {
    for (const response of this.#streams) response.destroy();
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return this.onOther(request, response);
    if (this.onPost(request, response)) return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString());
    const { id, method, params = {} } = message;
    if (method === undefined) {
      response.writeHead(202).end();
      this.onAnswer(id, message.result ?? message.error);
      return;
    }
    const posted: Posted = { id, method, params, headers: request.headers };
    this.posted.push(posted);
    const handler = this.#handlers.get(method);
    if (id === undefined) {
      await handler?.(posted, response);
      response.writeHead(202).end();
      return;
    }
    if (handler === undefined) {
      const error = { code: -32601, message: "Method not found" };
      this.answer({ jsonrpc: "2.0", id, error }, response);
      return;
    }
    const result = await handler(posted, response);
    if (result !== undefined) this.answer({ jsonrpc: "2.0", id, result }, response);
  }
}

/** A server of the older kind: answers come over one stream, and nothing can be posted to its address. */
export async function sseServer(): Promise<RawHttpServer> {
  const server = await RawHttpServer.start();
  let stream: ServerResponse | undefined;
  server.onOther = (_request, response) => {
    stream = response;
    server.keep(response);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("event: endpoint\ndata: /messages\n\n");
  };
  server.onPost = (request, response) => {
    if (request.url === "/messages") return false;
    response.writeHead(405).end();
    return true;
  };
  server.answer = (message, response) => {
    response.writeHead(202).end();
    stream?.write(`data: ${JSON.stringify(message)}\n\n`);
  };
  return server;
}

function json(response: ServerResponse, message: JsonObject, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(message));
}

/** Begins an event stream. */
export function events(response: ServerResponse): (message: JsonObject, id?: string) => void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  return (message, id) => {
    const data = JSON.stringify({ jsonrpc: "2.0", ...message });
    response.write(`${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`);
  };
}

export function text(text: string): JsonObject {
  return { content: [{ type: "text", text }] };
}
