import { onAbort } from "@tunic/core";
import { type CallScope, scopeOf } from "../client/call-scope.js";
import { McpError } from "../mcp-error.js";
import { longestEvent, total } from "./byte-measures.js";
import { type BodyWatcher, watchedBody } from "./watched-body.js";

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;
type HeaderRecord = Readonly<Record<string, string>>;

export interface CallFetchTerms {
  readonly connection: symbol;
  /** The server's; what is for it is sent nowhere else. */
  readonly url: URL;
  /** With every request. */
  readonly headers: HeaderRecord;
  /** With requests that are not made for a call. */
  readonly ambientHeaders?: (() => Promise<HeaderRecord>) | undefined;
  /** Of one answer, and of one event of a stream. */
  readonly maxBytes: number;
  readonly fetch?: Fetch | undefined;
}

/** What the transport itself has to say with these, it says. */
const ofTransport: ReadonlySet<string> = new Set([
  "accept",
  "content-type",
  "content-length",
  "host",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
]);

/**
 * A `fetch` for the transports of an SDK that knows which request it works for: it adds that one's headers,
 * for the server's own origin only, and lets the request go when the stream of its answer breaks, which the
 * SDK would not.
 */
export function callFetch(terms: CallFetchTerms): Fetch {
  const {
    connection,
    url: server,
    headers,
    ambientHeaders,
    maxBytes,
    fetch: fetchIt = globalThis.fetch,
  } = terms;
  return async (input, init = {}) => {
    const isOwn = new URL(input).origin === server.origin;
    if (!isOwn) return fetchIt(input, init);
    const scope = scopeOf(connection);
    const all = new Headers(init.headers);
    const ofRequest = scope?.headers ?? (await ambientHeaders?.()) ?? {};
    add(all, { ...lowerCase(headers), ...lowerCase(ofRequest) });
    const request = { ...init, headers: all };
    if (init.method === "POST" && scope !== undefined) {
      return fetchAnswer(fetchIt, input, request, scope, maxBytes);
    }
    const response = await fetchIt(input, request);
    // The stream of the answer is not to be had again; the SDK takes that for one that was only offered.
    if (scope !== undefined && response.status === 405) scope.lost(brokenStream());
    return response.body === null ? response : watched(response, response.body, maxBytes);
  };
}

/** The answer to one request, which is lost when its stream ends without it. */
async function fetchAnswer(
  fetchIt: Fetch,
  input: string | URL,
  init: RequestInit,
  scope: CallScope,
  maxBytes: number,
): Promise<Response> {
  const { signal, release } = following(init.signal);
  let isWatched = false;
  try {
    const response = await fetchIt(input, { ...init, signal });
    if (response.body === null) return response;
    const answersWithStream = isStream(response);
    const ended = (error?: unknown): void => {
      release();
      if (error === undefined && !answersWithStream) return;
      // A resumable stream is taken up again by the SDK.
      const tell = (): void => {
        if (!scope.resumable || error instanceof McpError) scope.lost(error ?? brokenStream());
      };
      // The answer may be on its way through the SDK still, which takes no turn of the event loop.
      setTimeout(tell, 0);
    };
    isWatched = true;
    return watched(response, response.body, maxBytes, { ended, dropped: release });
  } finally {
    if (!isWatched) release();
  }
}

/**
 * A signal of one request, which follows that of the whole connection until it is released: `fetch` would listen to
 * that one once more with each request, and only stop when memory is collected.
 */
function following(connection: AbortSignal | null | undefined): {
  readonly signal: AbortSignal | null;
  readonly release: () => void;
} {
  if (!connection) return { signal: null, release: () => {} };
  const controller = new AbortController();
  const release = onAbort(connection, () => controller.abort(connection.reason));
  return { signal: controller.signal, release };
}

function isStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
}

function brokenStream(): McpError {
  return new McpError("mcp_connection_lost", "The stream ended without an answer.");
}

function add(target: Headers, headers: HeaderRecord): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!ofTransport.has(name)) target.set(name, value);
  }
}

function lowerCase(headers: HeaderRecord): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

function watched(
  response: Response,
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  watcher?: BodyWatcher,
): Response {
  // A stream of many messages has no length that would say anything; each message has.
  const measure = isStream(response) ? longestEvent() : total();
  return withBody(response, watchedBody(body, { maxBytes, measure }, watcher));
}

/** A response with another body. The constructor would lose its address. */
function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url } = response;
  const copy = new Response(body, { status, statusText, headers });
  Object.defineProperty(copy, "url", { value: url });
  return copy;
}
