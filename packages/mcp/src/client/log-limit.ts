import type { McpLogEntry } from "./mcp-client.js";

/** Of one server; nobody reads more. */
const mostInWindow = 200;
const windowMs = 1000;

/**
 * A log that takes so many entries of a server within a second, and then one that says that there were more: what a
 * program does with an entry costs more than what a server does for it.
 *
 * @param now Milliseconds since the epoch.
 */
export function limitedLog(
  log: (entry: McpLogEntry) => void,
  now: () => number,
): (entry: McpLogEntry) => void {
  let began = Number.NEGATIVE_INFINITY;
  let entries = 0;
  return (entry) => {
    const time = now();
    if (time - began >= windowMs) {
      began = time;
      entries = 0;
    }
    entries += 1;
    if (entries <= mostInWindow) return log(entry);
    if (entries > mostInWindow + 1) return;
    const data = `The server logs more than ${mostInWindow} entries a second: the rest of this second is left out.`;
    log({ level: "warning", logger: "log", data });
  };
}
