import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Principal, RunEnvironment } from "@tunic/core";
import { harmless } from "../harmless.js";
import type { ServerTerms } from "../serve-method.js";
import { StatelessServer } from "../stateless/stateless-server.js";
import { checkBound, type HttpSettings } from "./http-options.js";
import { HttpSessions } from "./http-sessions.js";
import { type HttpDesk, refuse, serveRequest } from "./serve-request.js";

export interface HttpServerTerms extends ServerTerms {
  /** Where nobody is asked who they are. */
  readonly principal: Principal | undefined;
  readonly environment: RunEnvironment | undefined;
}

/** A server over HTTP. */
export interface HttpServer {
  readonly url: string;
  readonly closed: Promise<void>;
  toolsChanged(): Promise<void>;
  close(): Promise<void>;
}

type Clock = Pick<RunEnvironment, "now" | "setTimer">;

const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(callback, ms) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** Listens, and serves each client as the revision that it speaks has it. */
export async function serveHttp(
  settings: HttpSettings,
  terms: HttpServerTerms,
): Promise<HttpServer> {
  const { principal, onError, environment: clock = systemClock } = terms;
  const sessions = new HttpSessions(settings, terms, clock);
  const stateless = new StatelessServer(terms, settings, clock);
  const server = createServer();
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  const { address, family, port } = await listen(server, settings);
  const url = new URL(
    `http://${family === "IPv6" ? `[${address}]` : address}:${port}${settings.path}`,
  );
  const isOpen = (): boolean => server.listening;
  const onRefused = settings.onRefused && harmless(settings.onRefused, onError);
  const known = { ...settings, hosts: [...settings.hosts, url.host] };
  const desk: HttpDesk = {
    settings: known,
    sessions,
    stateless,
    port,
    principal,
    onError,
    onRefused,
    isOpen,
  };
  server.on("error", onError);
  server.on("request", (request, response) => {
    tellOfEnd(request.socket, response);
    serveRequest(desk, request, response).catch((error: unknown) => {
      onError(error);
      if (response.headersSent) response.destroy();
      else refuse(response, { status: 500, message: "Internal error" });
    });
  });
  const stopSweeping = sweepAgain(sessions, settings, clock, onError);
  return {
    url: url.href,
    closed,
    async toolsChanged() {
      stateless.toolsChanged();
      await sessions.toolsChanged();
    },
    async close() {
      stopSweeping();
      server.close();
      stateless.close();
      await sessions.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** @throws ConfigurationError where the address that comes of it, such as that of a name, is not to be listened at so. */
async function listen(server: Server, settings: HttpSettings): Promise<AddressInfo> {
  const { port, host } = settings;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const bound = server.address() as AddressInfo;
  try {
    checkBound(bound.address, settings);
    return bound;
  } catch (error) {
    server.close();
    throw error;
  }
}

/** Ends old sessions that nobody's request reminds of. Returns what stops it. */
function sweepAgain(
  sessions: HttpSessions,
  { sessionIdleMs, sessionMaxAgeMs }: HttpSettings,
  clock: Clock,
  onError: (error: unknown) => void,
): () => void {
  const ms = Math.min(sessionIdleMs, sessionMaxAgeMs, 60_000);
  let cancel: () => void;
  const again = (): void => {
    cancel = clock.setTimer(() => {
      sessions.sweep().catch(onError);
      again();
    }, ms);
  };
  again();
  return () => cancel();
}

/** The answers of a connection that are not finished. */
const unfinished = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Has an answer closed when its connection ends. Node does so for the one that is being written, but not for those of
 * requests that were sent after it without waiting: their calls would go on for nobody.
 */
function tellOfEnd(socket: Socket, response: ServerResponse): void {
  let answers = unfinished.get(socket);
  if (answers === undefined) {
    const all = new Set<ServerResponse>();
    unfinished.set(socket, all);
    socket.once("close", () => {
      for (const answer of all) {
        if (answer.socket !== null) continue;
        answer.destroy();
        answer.emit("close");
      }
    });
    answers = all;
  }
  const open = answers.add(response);
  response.once("close", () => open.delete(response));
}
