import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Principal } from "@tunic/core";
import { OpenRequests } from "./open-requests.js";
import { type ClientConnection, openServer } from "./sdk1-server.js";
import type { ServerTerms } from "./serve-method.js";

/** Serves the one client at the other end of two streams. When its end closes, the connection is over. */
export async function serveStdio(
  input: Readable,
  output: Writable,
  principal: Principal | undefined,
  terms: ServerTerms,
): Promise<ClientConnection> {
  const requests = new OpenRequests(new StdioServerTransport(input, output));
  const connection = await openServer(requests, principal, terms, output);
  const end = (): void => void connection.close().catch(terms.onError);
  const ends = [
    [input, "end"],
    [input, "close"],
    [output, "error"],
  ] as const;
  for (const [stream, event] of ends) stream.once(event, end);
  void connection.closed.then(() => {
    for (const [stream, event] of ends) stream.off(event, end);
    // What is still on its way out may fail, too.
    output.on("error", () => {});
  });
  return connection;
}
