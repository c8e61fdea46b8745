import type { Client as Sdk2Client } from "@modelcontextprotocol/client";
import type { Client as Sdk1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { isJsonObject } from "@tunic/core";
import type { McpClient, McpHooks } from "./client/mcp-client.js";
import { makeHttpTransport, openClient } from "./client/open-client.js";
import { ownClient } from "./client/own-client.js";
import { adaptSdk1 } from "./client/sdk1-client.js";
import { adaptSdk2 } from "./client/sdk2-client.js";
import type { FinishSignIn, SignIn } from "./client/sign-in.js";
import { type Connecting, slowServer } from "./client/slow-server.js";
import { madeHeaders } from "./header-values.js";
import { McpError } from "./mcp-error.js";
import { wrong } from "./option-values.js";
import type { McpToolsOptions, ReadOptions } from "./options.js";
import { type RemoteServer, readTarget, type StdioServer } from "./target.js";
import { serverLabel } from "./tools/server-label.js";
import { asLabel, checkPrefix } from "./tools/tool-name.js";

/**
 * A client of either line of the official SDK, connected. What it is connected to stays its owner's: it is not
 * closed here, and not opened again when it has ended.
 */
export interface SdkClient {
  readonly transport?: unknown;
  getServerCapabilities(): object | undefined;
  getServerVersion(): { readonly name: string } | undefined;
  callTool(...args: never[]): Promise<unknown>;
  listTools(...args: never[]): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Opens a connection of your own making: when it is first needed, and again when it has ended, of which it tells
 * `hooks.closed`. It is closed with the tools.
 *
 * @param hooks What the client has to do when the server speaks first: it asks, its lists change, it logs.
 * @param signal Fires when nobody waits for the connection any more.
 */
export type OpenMcpClient = (
  hooks: McpHooks,
  signal: AbortSignal,
) => McpClient | Promise<McpClient>;

/** Who a server is, and how it is connected to. */
export interface OpenTarget {
  readonly label: string;
  readonly open: (hooks: McpHooks, signal: AbortSignal) => Promise<McpClient>;
  /** What is said of it where it was given up after so many milliseconds. */
  readonly slow?: ((ms: number) => string) | undefined;
  /** Where `authProvider` has something to sign in at. */
  readonly finishAuth?: FinishSignIn | undefined;
}

const outsideCalls = { run: undefined, session: undefined, tool: undefined };

/** Of everything in a message beside a result: its members, and how JSON writes strings. */
const roomForEnvelope = 1024 * 1024;

/**
 * @param terms Whether the options are for other servers, too, of which some may be reached over HTTP.
 * @throws ConfigurationError `invalid_target`, `unknown_option` or `invalid_option`.
 */
export function openTarget(
  target: string | URL | StdioServer | RemoteServer | SdkClient | McpClient | OpenMcpClient,
  options: McpToolsOptions,
  settings: ReadOptions,
  { isShared = false }: { readonly isShared?: boolean | undefined } = {},
): OpenTarget {
  if (typeof target === "function") {
    return { label: labelOf(options, undefined), open: async (...terms) => target(...terms) };
  }
  if (isSdkClient(target)) {
    const label = labelOf(options, asLabel(target.getServerVersion()?.name ?? ""));
    return { label, open: async (hooks) => adapted(target, hooks) };
  }
  if (isOwnClient(target)) {
    const label = labelOf(options, asLabel(target.server.name));
    return { label, open: async () => ownClient(target) };
  }
  const read = readTarget(target, options.transport);
  const { headers, limits, connectTimeoutMs } = settings;
  if (headers !== undefined && read.kind !== "http" && !isShared) {
    throw wrong(
      "headers",
      "left out where no HTTP goes; a command takes variables: { command, args, env }",
    );
  }
  const found =
    read.kind === "http" && headers !== undefined && typeof headers !== "function"
      ? { ...read, headers: { ...read.headers, ...headers } }
      : read;
  const ambientHeaders =
    typeof headers === "function"
      ? async () => (await madeHeaders(headers, outsideCalls)) ?? {}
      : undefined;
  const label = labelOf(options, serverLabel(read));
  const connecting: Connecting = {};
  const slow = (ms: number): string => slowServer(read, label, connecting, ms);
  const terms = {
    label,
    connecting,
    connectTimeoutMs,
    ambientHeaders,
    maxMessageBytes: limits.maxResultBytes + roomForEnvelope,
    sdk: options.sdk,
  };
  const { authProvider } = options;
  if (authProvider === undefined || found.kind !== "http") {
    return {
      label,
      slow,
      open: (hooks, signal) => openClient(found, { ...terms, hooks, signal }),
    };
  }
  let finish: FinishSignIn | undefined;
  const signIn: SignIn = {
    provider: authProvider,
    started(how) {
      finish = how;
    },
  };
  return {
    label,
    slow,
    open: (hooks, signal) => openClient(found, { ...terms, hooks, signal, signIn }),
    async finishAuth(callback) {
      // Whoever was sent away may come back to another process.
      if (finish === undefined) {
        const { signal } = new AbortController();
        const kind = found.transport === "sse" ? "sse" : "http";
        await makeHttpTransport(kind, found, { ...terms, hooks: {}, signal, signIn }, Symbol(kind));
      }
      await finish?.(callback);
    },
  };
}

function labelOf({ name }: McpToolsOptions, derived: string | undefined): string {
  const label = name ?? derived ?? "mcp";
  checkPrefix("name", label);
  return label;
}

function adapted(client: SdkClient, hooks: McpHooks): McpClient {
  if (client.transport === undefined) {
    throw new McpError(
      "mcp_connect_failed",
      "The client that was given is not connected, or has been closed: connect it before it is used.",
      { notSent: true },
    );
  }
  const terms = { owned: false, connection: undefined };
  // Told apart by what only one of them has, since there may be several copies of an SDK.
  return "getProtocolEra" in client
    ? adaptSdk2(client as unknown as Sdk2Client, hooks, terms)
    : adaptSdk1(client as unknown as Sdk1Client, hooks, terms);
}

function isSdkClient(target: unknown): target is SdkClient {
  return hasMethods(target, ["getServerCapabilities", "getServerVersion", "callTool", "close"]);
}

function isOwnClient(target: unknown): target is McpClient {
  return (
    hasMethods(target, ["request", "listTools", "callTool", "close"]) &&
    isJsonObject((target as McpClient).server)
  );
}

function hasMethods(target: unknown, methods: readonly string[]): boolean {
  if (typeof target !== "object" || target === null) return false;
  return methods.every((method) => typeof Reflect.get(target, method) === "function");
}
