import type { IncomingMessage } from "node:http";
import type { Refusal } from "./request-guard.js";

/** A body as JSON, or why it is none that is taken. */
export type Body = { readonly json: unknown } | { readonly refusal: Refusal };

/** Reads a request's body, and stops where it is longer than it may be. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  const type = request.headers["content-type"] ?? "";
  // A page can send the other types without asking first.
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    return { refusal: { status: 415, message: "Unsupported Media Type: send application/json" } };
  }
  const tooLarge: Body = {
    refusal: {
      status: 413,
      message: `Content Too Large: at most ${maxBytes} bytes`,
      headers: { connection: "close" },
    },
  };
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) return tooLarge;
    chunks.push(chunk as Buffer);
  }
  try {
    return { json: JSON.parse(Buffer.concat(chunks).toString("utf8")) };
  } catch {
    return { refusal: { status: 400, message: "Parse error: the body is not JSON" } };
  }
}
