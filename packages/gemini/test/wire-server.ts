import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { wireProblems } from "@tunic/testing/wire";
import { expect } from "vitest";
import { GeminiChatClient, type GeminiChatClientOptions } from "../src/index.js";

/** The body of a request, as far as tests look at it. */
interface WireBody {
  readonly contents: readonly {
    readonly role: string;
    readonly parts: readonly Record<string, unknown>[];
  }[];
  readonly [member: string]: unknown;
}

/** What the server does with one request. */
export type Reply = (response: ServerResponse, asked: Asked) => void | Promise<void>;

/** A request as it arrived. */
interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: WireBody;
  /** Whether a stream was asked for. */
  readonly streams: boolean;
}

/** A loopback server that answers with what a test wrote down, one reply for each request. */
export interface WireServer extends AsyncDisposable {
  readonly url: string;
  /** The requests so far; each body is checked against the vendor's rules when the server stops. */
  readonly asked: readonly Asked[];
  readonly bodies: readonly WireBody[];
  /** Begins again with the first reply; what was asked stays. */
  restart(): void;
  /** A client of this server. */
  client(options?: Partial<GeminiChatClientOptions>): GeminiChatClient;
}

/** Starts a server; `await using` stops it. */
export async function wireServer(...replies: readonly Reply[]): Promise<WireServer> {
  const asked: Asked[] = [];
  let next = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const reply = replies[next++] ?? replies.at(-1);
    const path = request.url ?? "";
    const one: Asked = {
      path,
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString("utf8")),
      streams: path.includes(":streamGenerateContent"),
    };
    asked.push(one);
    await reply?.(response, one);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    asked,
    get bodies() {
      return asked.map(({ body }) => body);
    },
    restart: () => {
      next = 0;
    },
    client: (options = {}) =>
      new GeminiChatClient({ model: "gemini-3.5-flash", apiKey: "key", baseURL: url, ...options }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      for (const { body } of asked) expect(wireProblems("gemini", body)).toEqual([]);
    },
  };
}

/** Chunks as the service streams them. */
export function asText(chunks: readonly object[], end = "\r\n\r\n"): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}${end}`).join("");
}

/** A whole answer. */
export function whole(answer: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(200, { "content-type": "application/json; charset=UTF-8", ...headers });
    response.end(JSON.stringify(answer));
  };
}

/** A failure as the service words it. */
export function failure(
  code: number,
  status: string,
  details: readonly object[] = [],
  message = `that is ${status}`,
): Reply {
  return (response) => {
    response.writeHead(code, { "content-type": "application/json; charset=UTF-8" });
    response.end(JSON.stringify({ error: { code, message, status, details } }));
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

/** The same chunks as a stream (in pieces of three bytes) or joined in one answer, as it is asked for. */
export function either(...chunks: readonly object[]): Reply {
  return (response, one) => {
    const reply = one.streams ? streamed(asText(chunks), 3) : whole(joined(chunks));
    return reply(response, one);
  };
}

/** One answer that says what the chunks say. */
export function joined(chunks: readonly object[]): object {
  const all = chunks as readonly {
    readonly candidates?: readonly { readonly content?: { readonly parts?: readonly object[] } }[];
  }[];
  const parts = all.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  const candidate = Object.assign({}, ...all.map(({ candidates }) => candidates?.[0] ?? {}));
  const some = all.some(({ candidates }) => candidates !== undefined);
  return {
    ...Object.assign({}, ...chunks),
    ...(some && { candidates: [{ ...candidate, content: { role: "model", parts } }] }),
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
  response.writeHead(200, { "content-type": "text/event-stream" });
}
