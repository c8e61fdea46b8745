import { type CallScope, callScope } from "./call-scope.js";
import type { McpRequestOptions } from "./mcp-client.js";
import { toMcpError } from "./sdk-errors.js";

/** The longest that a timer can be set for: an SDK's own time limit is off, limits are kept outside. */
export const noTimeout = 2 ** 31 - 1;

/** What a server is told: reasons are the caller's own. */
export const cancelled = "The caller no longer waits for it.";

/** How an SDK is asked. The scope is there where the transport needs one. */
export type SendRequest<Value> = (
  signal: AbortSignal | undefined,
  scope: CallScope | undefined,
) => Promise<Value>;

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
