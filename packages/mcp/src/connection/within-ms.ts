import { withAbort } from "@tunic/core";
import { McpError } from "../mcp-error.js";

/**
 * Runs work under a signal that fires after a time.
 *
 * @throws McpError `mcp_timeout` with the message, when it does.
 */
export async function withinMs<Value>(
  ms: number,
  late: string,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new McpError("mcp_timeout", late)), ms);
  try {
    return await withAbort(controller.signal, work);
  } finally {
    clearTimeout(timer);
  }
}
