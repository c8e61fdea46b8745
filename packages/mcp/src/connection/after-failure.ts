import type { McpClient } from "../client/mcp-client.js";
import { httpStatusOf } from "../client/sdk-errors.js";
import { isLoss, isUnsentLoss, McpError } from "../mcp-error.js";
import type { McpServer } from "./mcp-server.js";
import { withinMs } from "./within-ms.js";

/** How long a session is waited for that is asked whether it is still there. */
const aliveMs = 5000;

/**
 * Lets a connection go that is of no use any more. One that only takes no request with these headers is kept: a
 * server may bind a session to whoever has opened it, and others have calls under way over it.
 *
 * @param headers Of the request alone, where it had any.
 * @returns the error to be thrown.
 */
export async function afterFailure(
  { connection, label, log }: Pick<McpServer, "connection" | "label" | "log">,
  client: McpClient,
  error: unknown,
  headers: Readonly<Record<string, string>> | undefined,
): Promise<unknown> {
  if (!isUnsentLoss(error)) return error;
  if (headers !== undefined && isRefusal(error) && !(await isGone(client))) {
    const message = `The server "${label}" does not know its session for whoever this is sent for: it takes requests of the one who has connected only. Give each person an mcpTools() of their own, or use a server of revision 2026-07-28.`;
    log({ level: "warning", logger: "transport", data: message });
    return new McpError("mcp_session_refused", message, { cause: error, notSent: true });
  }
  connection.discard(client);
  return error;
}

/** Said by the server, not by the wire. */
function isRefusal(error: unknown): boolean {
  return error instanceof McpError && httpStatusOf(error.cause) !== undefined;
}

/**
 * Whether the session has ended for the one who has opened it, too. Silence does not say so: a server may be busy
 * with a call. Where it has ended, what is under way over it gets no answer any more, and ends with it.
 */
async function isGone(client: McpClient): Promise<boolean> {
  try {
    await withinMs(aliveMs, "No answer.", (signal) => client.request("ping", {}, { signal }));
    return false;
  } catch (error) {
    return isLoss(error);
  }
}
