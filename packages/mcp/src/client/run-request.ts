import { withAbort } from "@tunic/core";
import { stopSignalOf } from "./call-options.js";
import { type CallScope, callScope, markResumable } from "./call-scope.js";
import type { StopSignal } from "./cancellation.js";
import type { McpClient, McpProgress, McpRequestOptions } from "./mcp-client.js";
import { toMcpError } from "./sdk-errors.js";

/** The longest that a timer can be set for: an SDK's own time limit is off, limits are kept outside. */
const noTimeout = 2 ** 31 - 1;

/** What a server is told: reasons are the caller's own. */
export const cancelled = "The caller no longer waits for it.";

/** How an SDK is asked. The scope is there where the transport needs one. */
export type SendRequest<Value> = (
  signal: StopSignal | undefined,
  scope: CallScope | undefined,
) => Promise<Value>;

/** What both lines of the SDK are told of a request. */
export interface RequestSettings {
  readonly timeout: number;
  readonly signal?: AbortSignal;
  readonly onresumptiontoken?: () => void;
  readonly onprogress?: (progress: McpProgress) => void;
}

export function requestSettings(
  { onProgress }: McpRequestOptions,
  signal: StopSignal | undefined,
  scope: CallScope | undefined,
): RequestSettings {
  return {
    timeout: noTimeout,
    // All that the SDKs ask of a signal where they make no HTTP request with it.
    ...(signal && { signal: signal as AbortSignal }),
    ...(scope && { onresumptiontoken: () => markResumable(scope) }),
    ...(onProgress && { onprogress: onProgress }),
  };
}

/** A client once it has connected; closed where it cannot. */
export async function connected(
  opened: McpClient,
  signal: AbortSignal,
  connect: (settings: { signal: AbortSignal; timeout: number }) => Promise<void>,
): Promise<McpClient> {
  try {
    await withAbort(signal, (inner) => connect({ signal: inner, timeout: noTimeout }));
  } catch (error) {
    await opened.close();
    throw error;
  }
  return opened;
}

/**
 * Sends one request through an SDK, with errors in the words of this package. An abort rejects with the
 * reason of the signal, as it is.
 *
 * @param connection Where the transport makes an HTTP request for each: then its headers go along, and it is
 * let go when the stream of its answer breaks.
 */
export async function runRequest<Value>(
  options: McpRequestOptions,
  connection: symbol | undefined,
  send: SendRequest<Value>,
): Promise<Value> {
  const signal = stopSignalOf(options);
  if (signal?.aborted) throw signal.reason;
  try {
    return connection === undefined
      ? await send(signal, undefined)
      : await runScoped(options, connection, signal, send);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw toMcpError(error, true);
  }
}

/** Whose origin nobody has said: known to be no call, unlike what comes outside any request. */
const noCall = Symbol("no call");

async function runScoped<Value>(
  { headers, origin = noCall }: McpRequestOptions,
  connection: symbol,
  signal: StopSignal | undefined,
  send: SendRequest<Value>,
): Promise<Value> {
  const controller = new AbortController();
  let isOver = false;
  let lose: (error: unknown) => void = () => {};
  const scope: CallScope = {
    connection,
    headers,
    origin,
    resumable: false,
    lost(error) {
      // The first line of the SDK would cancel a request at the server that is answered.
      if (isOver) return;
      lose(error);
      stop();
    },
  };
  // Whoever ends it, perhaps while another call is worked on: what the server is told of it is about this one.
  const stop = (): void => callScope.run(scope, () => controller.abort(cancelled));
  signal?.addEventListener("abort", stop);
  try {
    return await new Promise<Value>((resolve, reject) => {
      lose = reject;
      callScope.run(scope, send, controller.signal, scope).then(resolve, reject);
    });
  } finally {
    isOver = true;
    signal?.removeEventListener("abort", stop);
  }
}
