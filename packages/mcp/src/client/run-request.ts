import { withAbort } from "@tunic/core";
import { type CallScope, callScope } from "./call-scope.js";
import type { McpRequestOptions } from "./mcp-client.js";
import { toMcpError } from "./sdk-errors.js";

/** The longest that a timer can be set for: an SDK's own time limit is off, limits are kept outside. */
export const noTimeout = 2 ** 31 - 1;

/** What a server is told: reasons are the caller's own. */
const cancelled = "The caller no longer waits for it.";

/**
 * Sends one request through an SDK: within its scope, under a signal of its own, and with errors in the
 * words of this package. An abort rejects with the caller's reason, as it is.
 */
export async function runRequest<Value>(
  { signal, headers, origin }: McpRequestOptions,
  send: (signal: AbortSignal, scope: CallScope) => Promise<Value>,
): Promise<Value> {
  let failure: unknown;
  try {
    return await withAbort(
      signal,
      (inner) =>
        new Promise<Value>((resolve, reject) => {
          const controller = new AbortController();
          inner.addEventListener("abort", () => controller.abort(cancelled), { once: true });
          const scope: CallScope = {
            headers,
            origin,
            resumable: false,
            lost(error) {
              reject(error);
              controller.abort(cancelled);
            },
          };
          const refuse = (error: unknown): void => {
            failure = error;
            reject(error);
          };
          callScope.run(scope, send, controller.signal, scope).then(resolve, refuse);
        }),
    );
  } catch (error) {
    // What comes of an abort is the caller's reason, and what a scope says is in our words already.
    throw error === failure ? toMcpError(error, true) : error;
  }
}
