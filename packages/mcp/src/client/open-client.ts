import type { Transport as Sdk1Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ConfigurationError, withCause } from "@tunic/core";
import { McpError } from "../mcp-error.js";
import type { ReadTarget } from "../target.js";
import { callFetch } from "../transports/call-fetch.js";
import { stdioTransport } from "../transports/stdio-transport.js";
import { type ClientIdentity, ownIdentity } from "./client-identity.js";
import type { McpClient, McpHooks } from "./mcp-client.js";
import { isNotInstalled } from "./not-installed.js";
import { transportEntry } from "./read-answers.js";
import { isSseError } from "./sdk-error-kinds.js";
import { httpStatusOf, shownText } from "./sdk-errors.js";
import { openSdk1 } from "./sdk1-client.js";
import { type Negotiation, openSdk2, type Sdk2 } from "./sdk2-client.js";
import {
  forgettingFetch,
  identityNeeded,
  isUnauthorized,
  offerSignIn,
  type SignIn,
  signInNeeded,
} from "./sign-in.js";
import { type Connecting, shownServer, withLastWords } from "./slow-server.js";

/** How a connection is opened. */
export interface OpenTerms {
  /** Of the server, for errors. */
  readonly label: string;
  readonly hooks: McpHooks;
  readonly signal: AbortSignal;
  readonly connectTimeoutMs: number;
  readonly maxMessageBytes: number;
  /** Over HTTP, with requests that are not made for a call. */
  readonly ambientHeaders?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
  /** Signs in at servers that ask for it, as the SDK's transports do. */
  readonly signIn?: SignIn | undefined;
  /** `auto`: the second line of the SDK where it is installed. Default `auto`. */
  readonly sdk?: "auto" | 1 | 2 | undefined;
  readonly identity?: ClientIdentity | undefined;
  /** Filled in while the server is connected to. */
  readonly connecting?: Connecting | undefined;
}

const methodNotFound = -32601;

type HttpTarget = Extract<ReadTarget, { kind: "http" }>;

/**
 * Opens a connection to a server.
 *
 * @throws McpError `mcp_connect_failed`, with what the server has written before it ended; `mcp_unauthorized`.
 */
export async function openClient(target: ReadTarget, terms: OpenTerms): Promise<McpClient> {
  switch (target.kind) {
    case "stdio":
      return openStdio(target, terms);
    case "http":
      return openHttp(target, terms);
    case "websocket":
      return openWebSocket(target, terms);
  }
}

async function openStdio(
  target: Extract<ReadTarget, { kind: "stdio" }>,
  terms: OpenTerms,
): Promise<McpClient> {
  const { maxMessageBytes, hooks, connecting = {} } = terms;
  const start = () => stdioTransport({ ...target, maxMessageBytes, log: hooks.log });
  const sdk2 = await sdk2For(terms);
  const negotiations: readonly (Negotiation["mode"] | undefined)[] =
    sdk2 === undefined ? [undefined] : ["auto", "legacy"];
  let failure: unknown;
  let words = "";
  for (const mode of negotiations) {
    const transport = start();
    const before = words;
    connecting.lastWords = () => transport.lastWords || before;
    try {
      if (sdk2 === undefined || mode === undefined) {
        return await sdk1Client(transport as unknown as Sdk1Transport, terms, undefined);
      }
      return await sdk2Client(sdk2, transport as never, terms, { mode, connection: undefined });
    } catch (error) {
      // While a client asks which revision a server speaks, the process is not its own to close.
      await transport.close();
      terms.signal.throwIfAborted();
      failure = error;
      words = transport.lastWords;
      // A server may end at a question that it does not know: without that question, then. Not one that cannot be started.
      if (transport.pid === null) break;
    }
  }
  throw failed(shownServer(target, terms.label), failure, words);
}

async function openHttp(target: HttpTarget, terms: OpenTerms): Promise<McpClient> {
  const { transport } = target;
  const where = shownServer(target, terms.label);
  const tries: readonly ("http" | "sse")[] = transport === "auto" ? ["http", "sse"] : [transport];
  let failure: unknown;
  for (const kind of tries) {
    try {
      return await openHttpAs(kind, target, terms);
    } catch (error) {
      terms.signal.throwIfAborted();
      if (isUnauthorized(error)) throw signInNeeded(where, error);
      if (httpStatusOf(error) === 401 && terms.signIn === undefined) {
        throw identityNeeded(where, error);
      }
      // What matters is what the newer transport said.
      failure ??= error;
      if (!knowsNoStreamableHttp(error)) break;
    }
  }
  throw failed(where, failure, "");
}

async function openHttpAs(
  kind: "http" | "sse",
  target: HttpTarget,
  terms: OpenTerms,
): Promise<McpClient> {
  const connection = Symbol(kind);
  const made = await makeHttpTransport(kind, target, terms, connection);
  const client =
    made.line === 2
      ? await sdk2Client(made.sdk, made.transport, terms, {
          mode: kind === "http" ? "auto" : "legacy",
          connection,
        })
      : await sdk1Client(made.transport, terms, connection);
  if (kind === "sse") endWithStream(made.transport);
  return client;
}

type MadeTransport =
  | { readonly line: 1; readonly transport: Sdk1Transport }
  | {
      readonly line: 2;
      readonly sdk: Sdk2;
      readonly transport: Parameters<typeof openSdk2>[1];
    };

/** A transport that nothing has been sent over. */
export async function makeHttpTransport(
  kind: "http" | "sse",
  { url, headers }: HttpTarget,
  terms: OpenTerms,
  connection: symbol,
): Promise<MadeTransport> {
  const { maxMessageBytes, signIn, ambientHeaders } = terms;
  const fetch = callFetch({ connection, url, headers, ambientHeaders, maxBytes: maxMessageBytes });
  const settings = signIn
    ? { fetch: forgettingFetch(fetch, signIn, url), authProvider: signIn.provider }
    : { fetch };
  const where = `${url.origin}${url.pathname}`;
  const sdk = await sdk2For(terms);
  if (sdk !== undefined) {
    const { StreamableHTTPClientTransport: Http, SSEClientTransport: Sse } = sdk;
    const transport =
      kind === "http"
        ? new Http(url, settings as ConstructorParameters<typeof Http>[1])
        : new Sse(url, settings as ConstructorParameters<typeof Sse>[1]);
    offerSignIn(signIn, transport, 2, where);
    return { line: 2, sdk, transport };
  }
  const transport =
    kind === "http"
      ? new (
          await import("@modelcontextprotocol/sdk/client/streamableHttp.js")
        ).StreamableHTTPClientTransport(url, settings)
      : new (await import("@modelcontextprotocol/sdk/client/sse.js")).SSEClientTransport(
          url,
          settings,
        );
  offerSignIn(signIn, transport, 1, where);
  return { line: 1, transport: transport as Sdk1Transport };
}

/**
 * The SDK opens a broken SSE stream again, which is another session then: what was asked in the old one would
 * wait for ever. So the connection ends with its stream.
 */
function endWithStream(transport: {
  onerror?: ((error: Error) => void) | undefined;
  close(): Promise<void>;
}): void {
  const { onerror } = transport;
  transport.onerror = (error) => {
    onerror?.(error);
    if (isSseError(error)) void transport.close();
  };
}

async function openWebSocket(
  target: Extract<ReadTarget, { kind: "websocket" }>,
  terms: OpenTerms,
): Promise<McpClient> {
  if (globalThis.WebSocket === undefined) {
    throw new ConfigurationError(
      "websocket_missing",
      "This runtime has no WebSocket. Use Node 22 or newer, or set globalThis.WebSocket to that of the package ws.",
    );
  }
  const socket = await import("@modelcontextprotocol/sdk/client/websocket.js");
  try {
    return await sdk1Client(new socket.WebSocketClientTransport(target.url), terms, undefined);
  } catch (error) {
    terms.signal.throwIfAborted();
    throw failed(shownServer(target, terms.label), error, "");
  }
}

function sdk1Client(
  transport: Sdk1Transport,
  terms: OpenTerms,
  connection: symbol | undefined,
): Promise<McpClient> {
  const { identity = ownIdentity, signal } = terms;
  return attempt(terms, (hooks) => openSdk1(transport, identity, hooks, connection, signal));
}

function sdk2Client(
  sdk: Sdk2,
  transport: Parameters<typeof openSdk2>[1],
  terms: OpenTerms,
  how: Pick<Negotiation, "mode" | "connection">,
): Promise<McpClient> {
  const { identity = ownIdentity, signal, connectTimeoutMs } = terms;
  // Over HTTP silence is no answer of an older server, and signing in takes its time.
  const probeTimeoutMs = how.connection ? connectTimeoutMs : Math.ceil(connectTimeoutMs / 3);
  return attempt(terms, (hooks) =>
    openSdk2(sdk, transport, identity, hooks, { ...how, probeTimeoutMs }, signal),
  );
}

/** Tells of the end of what was opened, and not of that of attempts which failed. */
async function attempt(
  { hooks }: OpenTerms,
  open: (hooks: McpHooks) => Promise<McpClient>,
): Promise<McpClient> {
  let isOpen = false;
  let hasEnded = false;
  const client = await open({
    ...hooks,
    closed() {
      hasEnded = true;
      if (isOpen) hooks.closed?.();
    },
  });
  isOpen = true;
  if (hasEnded) hooks.closed?.();
  return client;
}

async function sdk2For({ sdk = "auto", hooks }: OpenTerms): Promise<Sdk2 | undefined> {
  if (sdk === 1) return undefined;
  try {
    return await import("@modelcontextprotocol/client");
  } catch (cause) {
    if (sdk === "auto") {
      if (!isNotInstalled(cause, "@modelcontextprotocol/client")) {
        hooks.log?.(transportEntry(cause));
      }
      return undefined;
    }
    const message = "sdk: 2 needs the package @modelcontextprotocol/client: install it.";
    throw new ConfigurationError("sdk_missing", message, { cause });
  }
}

/** Answers of servers that only know SSE: they have nothing to post to there. */
function knowsNoStreamableHttp(error: unknown): boolean {
  const status = httpStatusOf(error);
  return status !== undefined && status >= 400 && status < 500 && status !== 401 && status !== 403;
}

function failed(server: string, cause: unknown, words: string): McpError {
  // Whoever does not know the handshake, or sends back what it was sent, knows nothing of the protocol.
  const isOther = cause instanceof Error && "code" in cause && cause.code === methodNotFound;
  const what = `${server} ${isOther ? "does not speak MCP" : "could not be connected to"}`;
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = shownText(withCause(`${what}: ${why}`, cause)).replace(/\.?$/, ".");
  return new McpError("mcp_connect_failed", withLastWords(message, words), {
    cause,
    notSent: true,
  });
}
