import { withAbort } from "@tunic/core";
import { Flights } from "../calls/flights.js";
import { limitedLog } from "../client/log-limit.js";
import type { McpClient, McpHooks, McpLogEntry } from "../client/mcp-client.js";
import { isUnsentLoss } from "../mcp-error.js";
import type { ReadOptions } from "../options.js";
import { type PatternCheck, patternCheck } from "../tools/pattern-check.js";
import { type RemoteTools, readRemoteTools } from "../tools/remote-tool.js";
import { Connection, type ConnectionTerms } from "./connection.js";
import { createLatest } from "./latest.js";
import { listPages } from "./list-pages.js";
import { overNewConnection } from "./over-new-connection.js";
import { withinMs } from "./within-ms.js";

/** One server: its connection, and what it offers now. */
export interface McpServer {
  readonly label: string;
  readonly options: ReadOptions;
  readonly connection: Connection;
  /** The calls that it works on. */
  readonly flights: Flights;
  /** Which patterns of its schemas may be run; knows those of the tools that are listed. */
  readonly patterns: PatternCheck;
  /** What answers it, when it asks. */
  readonly requests: McpHooks["requests"];
  /** As it lists them now; connects where nothing is connected. */
  tools(signal?: AbortSignal): Promise<RemoteTools>;
  /** The same, where nobody has to wait for it. */
  readonly freshTools: RemoteTools | undefined;
  readonly log: (entry: McpLogEntry) => void;
}

export interface McpServerTerms {
  readonly label: string;
  readonly options: ReadOptions;
  readonly hooks: McpHooks;
  readonly flights?: Flights | undefined;
  /** What is to be done with a connection before it is used. */
  readonly connected?: ((client: McpClient) => Promise<void>) | undefined;
  readonly open: (hooks: McpHooks, signal: AbortSignal) => Promise<McpClient>;
  readonly slow?: ConnectionTerms["slow"];
  readonly onLog?: ((entry: McpLogEntry) => void) | undefined;
  readonly now?: (() => number) | undefined;
}

export function createMcpServer(terms: McpServerTerms): McpServer {
  const { label, options, onLog, hooks, flights = new Flights() } = terms;
  const { connectTimeoutMs, limits } = options;
  const patterns = patternCheck();
  const now = terms.now ?? Date.now;
  const log = (entry: McpLogEntry): void => {
    try {
      onLog?.(entry);
    } catch {
      // A log that fails is no reason to fail anything else.
    }
  };
  const serversLog = limitedLog(log, now);
  const list = createLatest(loadTools, (error) => {
    const why = error instanceof Error ? error.message : String(error);
    const data = `The changed list of tools could not be read: ${why}`;
    log({ level: "warning", logger: "tools", data });
  });
  const connection = new Connection({
    name: label,
    connectTimeoutMs,
    slow: terms.slow,
    now,
    async open(closed, signal) {
      const all: McpHooks = {
        ...hooks,
        log: serversLog,
        closed() {
          list.forget();
          closed();
        },
        notifications: {
          ...hooks.notifications,
          "notifications/tools/list_changed": () => list.changed(),
        },
      };
      list.forget();
      return openReady(terms, all, signal);
    },
  });

  async function loadTools(): Promise<RemoteTools> {
    const client = await connection.acquire();
    // A server without tools need not know the question.
    if (client.server.capabilities["tools"] === undefined) return noTools;
    const late = `The MCP server "${label}" did not list its tools within ${connectTimeoutMs} ms (connectTimeoutMs).`;
    try {
      const items = await withinMs(connectTimeoutMs, late, (signal) =>
        listPages("tools", limits.maxTools, (cursor) => client.listTools(cursor, { signal })),
      );
      connection.succeeded();
      const remote = readRemoteTools(items, limits.maxSchemaBytes);
      await patterns.learn([...remote.tools.values()].map(({ definition }) => definition));
      return remote;
    } catch (error) {
      if (isUnsentLoss(error)) connection.discard(client);
      throw error;
    }
  }

  return {
    label,
    options,
    connection,
    flights,
    patterns,
    requests: hooks.requests,
    log,
    get freshTools() {
      return connection.current && list.fresh;
    },
    async tools(signal) {
      const get = async (): Promise<RemoteTools> => {
        // Connects under the caller's signal: what is shared is not ended with one who waits.
        await connection.acquire(signal);
        return list.get();
      };
      return withAbort(signal, () => overNewConnection(get, true));
    },
  };
}

/** A connection with all done that is to be done before it is used; closed where that fails, or is given up. */
async function openReady(
  { open, connected }: McpServerTerms,
  hooks: McpHooks,
  signal: AbortSignal,
): Promise<McpClient> {
  const client = await open(hooks, signal);
  try {
    await withAbort(signal, async () => connected?.(client));
  } catch (error) {
    await client.close();
    throw error;
  }
  return client;
}

const noTools: RemoteTools = { tools: new Map(), names: new Set(), leftOut: [] };
