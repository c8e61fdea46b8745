import type { McpPage } from "../client/mcp-client.js";
import { McpError } from "../mcp-error.js";

/**
 * All members of a list that comes in pages, or none: an error on a later page is an error of the whole.
 * Cursors are the server's own and sent back as they came.
 *
 * @param what Names the list in errors, such as `tools`.
 * @throws McpError `mcp_endless_list` where a cursor comes again, or there are more than `most` members.
 */
export async function listPages(
  what: string,
  most: number,
  page: (cursor: string | undefined) => Promise<McpPage>,
): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const { items: more, nextCursor } = await page(cursor);
    for (const item of more) items.push(item);
    if (items.length > most) {
      throw new McpError(
        "mcp_endless_list",
        `The server lists more than ${most} ${what}. If that is right, raise limits.maxTools.`,
      );
    }
    if (nextCursor !== undefined && seen.size === seen.add(nextCursor).size) {
      throw new McpError(
        "mcp_endless_list",
        `The server's list of ${what} has no end: it gives the same cursor again.`,
      );
    }
    // Empty pages, each with a cursor of its own, have no end either.
    if (seen.size > mostPages) {
      throw new McpError(
        "mcp_endless_list",
        `The server's list of ${what} has more than ${mostPages} pages.`,
      );
    }
    cursor = nextCursor;
  } while (cursor !== undefined);
  return items;
}

const mostPages = 1000;
