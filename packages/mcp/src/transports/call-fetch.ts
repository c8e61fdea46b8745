import { callScope } from "../client/call-scope.js";
import { McpError } from "../mcp-error.js";
import { type ByteMeasure, longestEvent, total } from "./byte-measures.js";

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;
type HeaderRecord = Readonly<Record<string, string>>;

export interface CallFetchTerms {
  /** The server's; what is for it is sent nowhere else. */
  readonly url: URL;
  /** With every request. */
  readonly headers: HeaderRecord;
  /** With requests that are not made for a call. */
  readonly ambientHeaders?: (() => Promise<HeaderRecord>) | undefined;
  /** Of one answer, and of one event of a stream that goes on. */
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
  const { url: server, headers, ambientHeaders, maxBytes, fetch: given } = terms;
  return async (input, init) => {
    const scope = callScope.getStore();
    const isOwn = new URL(input).origin === server.origin;
    const all = new Headers(init?.headers);
    if (isOwn) {
      const ofRequest = scope?.headers ?? (await ambientHeaders?.()) ?? {};
      add(all, { ...lowerCase(headers), ...lowerCase(ofRequest) });
    }
    const fetchIt = given ?? globalThis.fetch;
    const response = await fetchIt(input, { ...init, headers: all });
    if (!isOwn || response.body === null || response.status === 101) return response;
    const isAnswer = init?.method === "POST" && scope !== undefined;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
    // A stream of many messages has no length that would say anything; each message has.
    const measure = isStream && !isAnswer ? longestEvent() : total();
    const body = watched(response.body, { maxBytes, measure }, (error) => {
      if (!isAnswer || (error === undefined && !isStream)) return;
      // A resumable stream is taken up again by the SDK.
      const tell = (): void => {
        if (!scope.resumable || error instanceof McpError) scope.lost(error ?? brokenStream());
      };
      // The answer may be on its way through the SDK still, which takes no turn of the event loop.
      setTimeout(tell, 0);
    });
    return withBody(response, body);
  };
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

/** The same bytes, up to a limit; tells when they have ended, in order or with an error. */
function watched(
  body: ReadableStream<Uint8Array>,
  { maxBytes, measure }: { readonly maxBytes: number; readonly measure: ByteMeasure },
  ended: (error?: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            ended();
            return;
          }
          if (measure(value) > maxBytes) {
            const message = `The server's answer is too large: more than ${maxBytes} bytes.`;
            throw new McpError("mcp_wrong_answer", message);
          }
          controller.enqueue(value);
        } catch (error) {
          controller.error(error);
          ended(error instanceof McpError ? error : lostStream(error));
          reader.cancel(error).catch(() => {});
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function lostStream(cause: unknown): McpError {
  return new McpError("mcp_connection_lost", "The stream of the answer broke.", { cause });
}

/** A response with another body. The constructor would lose its address. */
function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url } = response;
  const copy = new Response(body, { status, statusText, headers });
  Object.defineProperty(copy, "url", { value: url });
  return copy;
}
