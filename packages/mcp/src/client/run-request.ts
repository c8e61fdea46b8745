import { withAbort } from "@tunic/core";
import { type CallScope, callScope, markResumable } from "./call-scope.js";
import type { McpClient, McpProgress, McpRequestOptions } from "./mcp-client.js";
import { toMcpError } from "./sdk-errors.js";

/** The longest that a timer can be set for: an SDK's own time limit is off, limits are kept outside. */
const noTimeout = 2 ** 31 - 1;

/** What a server is told: reasons are the caller's own. */
export const cancelled = "The caller no longer waits for it.";

/** How an SDK is asked. The scope is there where the transport needs one. */
export type SendRequest<Value> = (
  signal: AbortSignal | undefined,
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
  signal: AbortSignal | undefined,
  scope: CallScope | undefined,
): RequestSettings {
  return {
    timeout: noTimeout,
    ...(signal && { signal }),
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
 * @param isScoped Whether the transport makes an HTTP request for each: then its headers go along, and it is
 * let go when the stream of its answer breaks.
 */
export async function runRequest<Value>(
  options: McpRequestOptions,
  isScoped: boolean,
  send: SendRequest<Value>,
): Promise<Value> {
  const { signal } = options;
  if (signal?.aborted) throw signal.reason;
  try {
    return isScoped ? await runScoped(options, send) : await send(signal, undefined);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw toMcpError(error, true);
  }
}

async function runScoped<Value>(
  { signal, headers, origin }: McpRequestOptions,
  send: SendRequest<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(cancelled);
  signal?.addEventListener("abort", stop);
  try {
    return await new Promise<Value>((resolve, reject) => {
      const scope: CallScope = {
        headers,
        origin,
        resumable: false,
        lost(error) {
          reject(error);
          stop();
        },
      };
      callScope.run(scope, send, controller.signal, scope).then(resolve, reject);
    });
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
