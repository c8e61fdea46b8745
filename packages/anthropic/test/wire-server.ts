import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type Anthropic from "@anthropic-ai/sdk";
import { wireProblems } from "@tunic/testing/wire";
import { expect } from "vitest";
import { asEvents, asText } from "./as-events.js";

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
      for (const body of bodies) expect(wireProblems("anthropic", withoutBeta(body))).toEqual([]);
    },
  };
}

/** The body without what only beta features have: the published types leave that out. */
function withoutBeta(body: Record<string, unknown>): Record<string, unknown> {
  const { mcp_servers, tools, messages, ...rest } = body;
  if (mcp_servers === undefined) return body;
  const isBeta = (each: unknown): boolean => /^"?mcp_/.test(String(Object(each).type));
  const kept = (list: unknown): unknown[] =>
    Array.isArray(list) ? list.filter((each) => !isBeta(each)) : [];
  const general = Array.isArray(messages)
    ? messages.map((message) => ({ ...message, content: kept(message.content) }))
    : messages;
  const others = kept(tools);
  return { ...rest, messages: general, ...(others.length > 0 && { tools: others }) };
}

/** A whole answer. */
export function whole(message: object, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(message));
  };
}

/** An answer, streamed where that is asked for. */
export function either(message: Anthropic.Message, headers: Record<string, string> = {}): Reply {
  return (response, body) =>
    body["stream"] === true
      ? streamed(asText(asEvents(message)), 50, headers)(response, body)
      : whole(message, headers)(response, body);
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
export function streamed(
  text: string,
  size = Number.POSITIVE_INFINITY,
  headers: Record<string, string> = {},
): Reply {
  return async (response) => {
    openStream(response, headers);
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

export function openStream(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "request-id": "req_1",
    ...headers,
  });
}
