import { request } from "node:http";
import { connect } from "node:net";
import type { JsonObject } from "@tunic/core";

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | JsonObject;
  /** As the header says it; default: as it is. */
  readonly chunked?: boolean;
  /** Gets the answer as it comes. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** A request as it is written: no client adds or corrects anything. */
export function rawRequest(url: string, raw: RawRequest = {}): Promise<RawResponse> {
  const { hostname, port, pathname } = new URL(url);
  const { method = "POST", path = pathname, body = "", chunked = false } = raw;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(!chunked && { "content-length": String(Buffer.byteLength(text)) }),
    ...raw.headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname: hostname.replace(/^\[|\]$/g, ""), port, path, method, agent: false, headers },
      (response) => {
        let read = "";
        response.setEncoding("utf8").on("data", (chunk) => {
          read += chunk;
          raw.onText?.(chunk);
        });
        const done = (): void => {
          const { statusCode = 0, headers } = response;
          resolve({ status: statusCode, headers, body: read });
        };
        response.on("end", done).on("error", done);
      },
    );
    sent.on("error", reject);
    sent.end(text);
  });
}

/** The status of a handshake with exactly these lines of headers, beside those of the body. */
export async function rawStatus(url: string, lines: readonly string[]): Promise<number> {
  const { hostname, port, pathname } = new URL(url);
  const body = JSON.stringify(initialize);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    ...lines,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    "Connection: close",
    `Content-Length: ${body.length}`,
  ];
  const socket = connect(Number(port), hostname);
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  let read = "";
  for await (const chunk of socket) read += chunk;
  return Number(read.split(" ")[1]);
}

export const initialize: JsonObject = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  },
};

export const ping: JsonObject = { jsonrpc: "2.0", id: 2, method: "ping" };
