import type { IncomingMessage } from "node:http";
import { parseError } from "../protocol-error.js";
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
  const wrong = whyUnreadable(type, request.headers["content-encoding"]);
  if (wrong !== undefined) {
    return { refusal: { status: 415, message: `Unsupported Media Type: ${wrong}` } };
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
    // What is no UTF-8 must not become something else: it is arguments.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Buffer.concat(chunks),
    );
    return { json: JSON.parse(text) };
  } catch {
    const message = "Parse error: the body is not JSON in UTF-8";
    return { refusal: { status: 400, message, code: parseError } };
  }
}

/** JSON that is sent between systems is UTF-8 (RFC 8259, section 8.1); nothing here unpacks what is compressed. */
function whyUnreadable(type: string, encoding: string | undefined): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? "utf-8";
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) return "send UTF-8";
  const isPacked = encoding !== undefined && !/^\s*(identity)?\s*$/i.test(encoding);
  return isPacked ? "send it without Content-Encoding" : undefined;
}
