import { type CallScope, callScope } from "../client/call-scope.js";
import { McpError } from "../mcp-error.js";

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;
type HeaderRecord = Readonly<Record<string, string>>;

export interface CallFetchTerms {
  /** The server's; what is for it is sent nowhere else. */
  readonly url: URL;
  /** With every request. */
  readonly headers: HeaderRecord;
  /** With requests that are not made for a call. */
  readonly ambientHeaders?: (() => Promise<HeaderRecord>) | undefined;
  /** Of one answer. */
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
  const headersFor = async (init: RequestInit | undefined, scope: CallScope | undefined) => {
    const all = new Headers(init?.headers);
    const ofRequest = scope?.headers ?? (await ambientHeaders?.()) ?? {};
    add(all, { ...lowerCase(headers), ...lowerCase(ofRequest) });
    return all;
  };
  return async (input, init) => {
    const scope = callScope.getStore();
    const fetchIt = given ?? globalThis.fetch;
    if (new URL(input).origin !== server.origin) return fetchIt(input, init);
    const answered = init?.method === "POST" ? scope : undefined;
    const { signal, release } = follow(answered && init?.signal);
    const response = await orRelease(release, async () =>
      fetchIt(input, {
        ...init,
        headers: await headersFor(init, scope),
        ...(signal && { signal }),
      }),
    );
    return watchedResponse(response, maxBytes, answered, release);
  };
}

/** @param call Whose answer it is. */
function watchedResponse(
  response: Response,
  maxBytes: number,
  call: CallScope | undefined,
  release: () => void,
): Response {
  const { body, status, headers } = response;
  if (body === null) release();
  if (body === null || status === 101) return response;
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
  // A stream of many messages has no length that would say anything; each message has.
  if (isStream && call === undefined) return response;
  const ended = call === undefined ? () => {} : lossTeller(call, isStream);
  return withBody(response, watched(body, maxBytes, release, ended));
}

async function orRelease<Value>(release: () => void, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    release();
    throw error;
  }
}

/** Tells a call when its answer can no longer come. */
function lossTeller(call: CallScope, isStream: boolean): (error?: unknown) => void {
  // A resumable stream is taken up again by the SDK.
  const tell = (error: unknown): void => {
    if (!call.resumable || error instanceof McpError) call.lost(error ?? brokenStream());
  };
  return (error) => {
    // The answer may be on its way through the SDK still, which takes no turn of the event loop.
    if (error !== undefined || isStream) setTimeout(tell, 0, error);
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

/**
 * A signal for one request. The transport has one for all of its own, and `fetch` listens to what it is given until
 * the garbage is collected: thousands of requests would be thousands of listeners, and a warning for each.
 */
function follow(signal: AbortSignal | null | undefined): Followed {
  if (!signal) return { signal: undefined, release() {} };
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  return {
    signal: controller.signal,
    release: () => signal.removeEventListener("abort", stop),
  };
}

interface Followed {
  readonly signal: AbortSignal | undefined;
  readonly release: () => void;
}

/**
 * The same bytes, up to a limit.
 *
 * @param release Nobody reads them any more.
 * @param ended Tells that they have ended, in order or with an error.
 */
function watched(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  release: () => void,
  ended: (error?: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            release();
            controller.close();
            ended();
            return;
          }
          bytes += value.byteLength;
          if (bytes > maxBytes) {
            const message = `The server's answer is too large: more than ${maxBytes} bytes.`;
            throw new McpError("mcp_wrong_answer", message);
          }
          controller.enqueue(value);
        } catch (error) {
          release();
          controller.error(error);
          ended(error instanceof McpError ? error : lostStream(error));
          reader.cancel(error).catch(() => {});
        }
      },
      cancel(reason) {
        release();
        return reader.cancel(reason);
      },
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
