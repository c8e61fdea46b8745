import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { wireProblems } from "@tunic/testing/wire";
import { expect } from "vitest";

/** What the server does with one request. */
export type Reply = (
  response: ServerResponse,
  body: Readonly<Record<string, unknown>>,
) => void | Promise<void>;

/** A loopback server that answers with what a test wrote down, one reply for each request. */
export interface WireServer extends AsyncDisposable {
  readonly url: string;
  /** The bodies of the requests so far; each is checked when the server stops. */
  readonly bodies: readonly Record<string, unknown>[];
  readonly headers: readonly IncomingMessage["headers"][];
}

/** Starts a server; `await using` stops it. */
export async function wireServer(...replies: readonly Reply[]): Promise<WireServer> {
  const bodies: Record<string, unknown>[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const reply = replies[bodies.length] ?? replies.at(-1);
    const body: Record<string, unknown> = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    bodies.push(body);
    headers.push(request.headers);
    await reply?.(response, body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    headers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      for (const body of bodies) expect(wireProblems("anthropic", body)).toEqual([]);
    },
  };
}

/** A whole answer. */
export function whole(message: object, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(message));
  };
}

/** A failure as the service words it. */
export function failure(status: number, type: string, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, {
      "content-type": "application/json",
      "request-id": "req_1",
      ...headers,
    });
    response.end(JSON.stringify({ type: "error", error: { type, message: `that is ${type}` } }));
  };
}

/** A streamed answer, sent in pieces of `size` bytes (default: all at once). */
export function streamed(text: string, size = Number.POSITIVE_INFINITY): Reply {
  return async (response) => {
    openStream(response);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) {
      await new Promise<void>((sent) =>
        response.write(bytes.subarray(at, at + size), () => sent()),
      );
    }
    response.end();
  };
}

/** A stream that breaks off after its text: the connection is destroyed. */
export function cut(text: string): Reply {
  return async (response) => {
    openStream(response);
    await new Promise<void>((sent) => response.write(text, () => sent()));
    response.destroy();
  };
}

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": "req_1" });
}
