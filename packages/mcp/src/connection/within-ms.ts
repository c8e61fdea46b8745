import { withAbort } from "@tunic/core";
import { McpError } from "../mcp-error.js";

/**
 * Runs work under a signal that fires after a time, and with another one.
 *
 * @param outer When it fires, this rejects with its reason, as it is.
 * @throws McpError `mcp_timeout` with the message, when the time is up.
 */
export async function withinMs<Value>(
  ms: number,
  late: string,
  work: (signal: AbortSignal) => Promise<Value>,
  outer?: AbortSignal,
): Promise<Value> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new McpError("mcp_timeout", late)), ms);
  const stop = (): void => controller.abort(outer?.reason);
  outer?.addEventListener("abort", stop);
  try {
    return await withAbort(controller.signal, work);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", stop);
  }
}
