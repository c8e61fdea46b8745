import type { IncomingMessage } from "node:http";

/**
 * A request that was not let in. Nothing of its `Authorization` and its body, and no query: these may be secrets. What
 * it says itself may be anything, and is cut at 200 characters.
 */
export interface RefusedRequest {
  /** Such as 401, or 403 for a wrong host or origin. */
  readonly status: number;
  /** As the other side was told it. */
  readonly message: string;
  readonly method: string;
  readonly path: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly remoteAddress: string | undefined;
}

export function refusedRequest(
  { method = "", url = "", headers, socket }: IncomingMessage,
  { status, message }: Pick<RefusedRequest, "status" | "message">,
): RefusedRequest {
  const [path = ""] = url.split("?");
  return {
    status,
    message,
    method,
    path: cut(path),
    host: headers.host === undefined ? undefined : cut(headers.host),
    origin: headers.origin === undefined ? undefined : cut(headers.origin),
    remoteAddress: socket.remoteAddress,
  };
}

function cut(text: string): string {
  return text.slice(0, 200);
}
