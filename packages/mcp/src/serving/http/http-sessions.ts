import { randomBytes } from "node:crypto";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Principal, RunEnvironment } from "@tunic/core";
import { type AnsweringTransport, OpenRequests } from "../open-requests.js";
import { type ClientConnection, openServer } from "../sdk1-server.js";
import type { ServerTerms } from "../serve-method.js";
import { type EventLog, EventLogs } from "./event-logs.js";
import type { HttpSettings } from "./http-options.js";

/** Of what is kept for clients whose connections break. */
const replayBytes = 16 * 1024 * 1024;
/** Milliseconds after which they are to come back. */
const retryMs = 1000;

/** One client's session. */
export interface HttpSession {
  readonly id: string;
  readonly transport: StreamableHTTPServerTransport;
  /** Those that are not answered. */
  readonly requests: OpenRequests;
  readonly connection: ClientConnection;
  /** What it has been sent. */
  readonly log: EventLog;
  /** Of whom it is; nobody else can use it. */
  readonly principal: Principal | undefined;
  readonly startedAt: number;
  /** Milliseconds since the epoch of the last request that began or ended. */
  usedAt: number;
  /** Requests that are open now. */
  open: number;
}

/** The sessions of a server. Each belongs to who has begun it, and ends after a while. */
export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>();
  readonly #settings: HttpSettings;
  readonly #terms: ServerTerms;
  readonly #clock: Pick<RunEnvironment, "now">;
  readonly #logs = new EventLogs(replayBytes);
  #starting = 0;

  constructor(settings: HttpSettings, terms: ServerTerms, clock: Pick<RunEnvironment, "now">) {
    this.#settings = settings;
    this.#terms = terms;
    this.#clock = clock;
  }

  get size(): number {
    return this.#sessions.size;
  }

  get isFull(): boolean {
    return this.#sessions.size + this.#starting >= this.#settings.maxSessions;
  }

  /** The session of that id, if it is that principal's. */
  find(id: string, principal: Principal | undefined): HttpSession | undefined {
    const session = this.#sessions.get(id);
    return session && isSame(session.principal, principal) ? session : undefined;
  }

  /** A new one. It counts once the client has shaken hands. */
  async start(principal: Principal | undefined): Promise<HttpSession> {
    this.#starting++;
    try {
      // 256 bits.
      const id = randomBytes(32).toString("base64url");
      const log = this.#logs.open();
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        eventStore: log,
        retryInterval: retryMs,
        onsessioninitialized: () => {
          this.#sessions.set(id, session);
        },
      });
      // Its accessors are declared as what they may return; they do what the interface says.
      const requests = new OpenRequests(transport as AnsweringTransport);
      const connection = await openServer(requests, principal, this.#terms);
      const now = this.#clock.now();
      const session: HttpSession = {
        id,
        transport,
        requests,
        connection,
        log,
        principal,
        startedAt: now,
        usedAt: now,
        open: 0,
      };
      void connection.closed.then(() => {
        this.#sessions.delete(id);
        log.forget();
      });
      return session;
    } finally {
      this.#starting--;
    }
  }

  /** A request of the session begins. Returns what to call at its end. */
  use(session: HttpSession): () => void {
    session.open++;
    session.usedAt = this.#clock.now();
    return () => {
      session.open--;
      session.usedAt = this.#clock.now();
    };
  }

  /** Ends a session that has not been kept. */
  async discard(session: HttpSession): Promise<void> {
    if (!this.#sessions.has(session.id)) await session.connection.close();
  }

  /** Ends what is too old, or has not been used for too long. */
  async sweep(): Promise<void> {
    const { sessionIdleMs, sessionMaxAgeMs } = this.#settings;
    const now = this.#clock.now();
    const over = [...this.#sessions.values()].filter(
      ({ startedAt, usedAt, open }) =>
        now - startedAt >= sessionMaxAgeMs || (open === 0 && now - usedAt >= sessionIdleMs),
    );
    await this.#end(over);
  }

  async toolsChanged(): Promise<void> {
    const told = [...this.#sessions.values()].map(({ connection }) => connection.toolsChanged());
    await Promise.allSettled(told);
  }

  async close(): Promise<void> {
    await this.#end([...this.#sessions.values()]);
  }

  async #end(sessions: readonly HttpSession[]): Promise<void> {
    // At once: a request that comes meanwhile must not find them.
    for (const { id } of sessions) this.#sessions.delete(id);
    const ends = await Promise.allSettled(sessions.map(({ connection }) => connection.close()));
    for (const end of ends) if (end.status === "rejected") this.#terms.onError(end.reason);
  }
}

function isSame(a: Principal | undefined, b: Principal | undefined): boolean {
  return a?.id === b?.id && a?.tenant === b?.tenant;
}
