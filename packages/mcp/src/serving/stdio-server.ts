import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Principal } from "@tunic/core";
import { OpenRequests } from "./open-requests.js";
import { type ClientConnection, openServer } from "./sdk1-server.js";
import type { ServerTerms } from "./serve-method.js";
import { wrongServe } from "./wrong-option.js";

/** Two servers on one stream would each run and answer what comes. */
const served = new WeakSet<Readable | Writable>();

/**
 * Serves the one client at the other end of two streams. When its end closes, the connection is over.
 *
 * @throws ConfigurationError where another server has one of the streams.
 */
export async function serveStdio(
  input: Readable,
  output: Writable,
  principal: Principal | undefined,
  terms: ServerTerms,
): Promise<ClientConnection> {
  const streams = [input, output];
  if (streams.some((stream) => served.has(stream))) {
    throw wrongServe(
      "transport.stdio",
      "streams that no other server has; serve all tools with one call",
    );
  }
  for (const stream of streams) served.add(stream);
  const requests = new OpenRequests(new StdioServerTransport(input, output), output);
  const connection = await openServer(requests, principal, terms);
  const end = (): void => void connection.close().catch(terms.onError);
  const ends = [
    [input, "end"],
    [input, "close"],
    [output, "error"],
    [output, "close"],
  ] as const;
  for (const [stream, event] of ends) stream.once(event, end);
  void connection.closed.then(() => {
    for (const [stream, event] of ends) stream.off(event, end);
    for (const stream of streams) served.delete(stream);
    // What is still on its way out may fail, too.
    output.on("error", () => {});
  });
  // What has ended before says so no more.
  if (input.readableEnded || input.destroyed || output.destroyed || output.writableEnded) end();
  return connection;
}
