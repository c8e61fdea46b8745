import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { McpTarget, StdioServer } from "../../src/index.js";

/** A server with somebody in between who hears what reaches it. */
export interface Relay extends AsyncDisposable {
  readonly target: McpTarget;
  /** How many calls of tools have been sent to the server. */
  calls(): number;
}

const program = fileURLToPath(new URL("relay-process.mjs", import.meta.url));

/**
 * A relay to a server that is started here.
 *
 * @param rename Calls of the one tool reach the server as calls of the other, which it may not have.
 */
export function stdioRelay(
  { command, args = [], ...rest }: StdioServer,
  rename: { readonly from?: string; readonly to?: string } = {},
): Relay {
  const recordFile = join(mkdtempSync(join(tmpdir(), "tunic-mcp-")), "sent");
  return {
    target: {
      command: process.execPath,
      args: [program, recordFile, JSON.stringify(rename), command, ...args],
      ...rest,
    },
    calls: () => (existsSync(recordFile) ? countCalls(readFileSync(recordFile, "utf8")) : 0),
    async [Symbol.asyncDispose]() {},
  };
}

/**
 * A relay to a server that listens at a port of this machine.
 *
 * @param onCall Called when a call has gone to the server.
 */
export async function httpRelay(url: string, onCall?: () => void): Promise<Relay> {
  const { port, pathname } = new URL(url);
  const sent: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), "127.0.0.1");
    client.pipe(upstream).pipe(client);
    client.on("data", (chunk: Buffer) => {
      sent.push(chunk);
      if (countCalls(chunk.toString()) > 0) onCall?.();
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => sockets.forEach((each) => void each.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as AddressInfo;
  return {
    target: `http://127.0.0.1:${own}${pathname}`,
    calls: () => countCalls(Buffer.concat(sent).toString()),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function countCalls(sent: string): number {
  return sent.split('"method":"tools/call"').length - 1;
}
