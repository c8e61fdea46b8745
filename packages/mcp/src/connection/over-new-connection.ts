import { isLoss, isUnsentLoss, McpError } from "../mcp-error.js";

/** A connection that has just broken may not know it yet, and refuse the second try as well. */
const mostTries = 3;

/**
 * Does something over a connection, and again, over a new one, where that broke: when nothing had been sent, or,
 * where it may be done twice, once after it had.
 *
 * @param once Takes a connection each time, and gives back none that has refused to send.
 * @throws What `once` throws. `mcp_connection_lost` is `notSent` only where nothing was sent by any try.
 */
export async function overNewConnection<Value>(
  once: () => Promise<Value>,
  mayBeDoneTwice: boolean,
): Promise<Value> {
  let wasSent = false;
  for (let tries = 1; ; tries++) {
    try {
      return await once();
    } catch (error) {
      const isSafe = isUnsentLoss(error) || (isLoss(error) && mayBeDoneTwice && !wasSent);
      if (!isSafe || tries === mostTries) throw wasSent ? uncertain(error) : error;
      wasSent ||= !isUnsentLoss(error);
    }
  }
}

/** That the last try was not sent says nothing about the one before. */
function uncertain(error: unknown): unknown {
  if (!(error instanceof McpError) || !error.notSent) return error;
  return new McpError("mcp_connection_lost", error.message, { cause: error });
}
