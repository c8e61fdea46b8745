import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * A place that processes of a test report to. They hold the connection for as long as they live, so that its end
 * is theirs: no waiting, no guessing.
 */
export async function heardProcesses() {
  const waiting: ((process: HeardProcess) => void)[] = [];
  const arrived: HeardProcess[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const process = heard(socket);
    const next = waiting.shift();
    if (next === undefined) arrived.push(process);
    else next(process);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    /** The next process that reports. */
    next: async () =>
      arrived.shift() ?? (await new Promise<HeardProcess>((resolve) => waiting.push(resolve))),
  };
}

export interface HeardProcess {
  /** Settles when the process is no more, with what it said until then. */
  readonly gone: Promise<string>;
  /** Lets go of it; a reporting program ends then. */
  release(): void;
}

function heard(socket: Socket): HeardProcess {
  let said = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  socket.on("error", () => {});
  const gone = once(socket, "close").then(() => said);
  return { gone, release: () => socket.end() };
}
