import type { Readable, Writable } from "node:stream";
import { Agent, type ConfigurationError, checkOptionNames } from "@tunic/core";
import { type HttpServeOptions, readHttpOptions } from "./http/http-options.js";
import { serveHttp } from "./http/http-server.js";
import { callRunner } from "./run-call.js";
import type { ServerTerms } from "./serve-method.js";
import { readServeOptions, type ServeOptions, type ServeTransport } from "./serve-options.js";
import { readServed, type Served } from "./served-tools.js";
import { serveStdio } from "./stdio-server.js";
import { wrongServe } from "./wrong-option.js";

/** What is being served. */
export interface ToolServer {
  /** Where, over HTTP. */
  readonly url: string | undefined;
  /** Resolves when nothing is served any more: after `close()`, over stdio also when the client has gone. */
  readonly closed: Promise<void>;
  /** Tells all clients that there are other tools now. */
  toolsChanged(): Promise<void>;
  /** Ends all connections, and aborts the calls that run. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves tools, or an agent as one tool, to MCP clients. A call from outside passes what a model's call passes: the
 * `middleware` and `contextProviders` given here, verdicts, approvals, budgets. Over stdio, nothing else may be
 * written to standard output.
 *
 * @throws ConfigurationError when something does not fit, saying what to write; such as for an address that others can
 * reach without authentication.
 */
export async function serveTools(served: Served, options: ServeOptions): Promise<ToolServer> {
  const settings = readServeOptions(options);
  const transport = readTransport(options.transport);
  const toolsNow = readServed(served);
  toolsNow();
  const name = options.name ?? (served instanceof Agent ? served.name : undefined) ?? "tunic";
  const { version = "0.0.0", instructions, environment } = options;
  const { onError, principal } = settings;
  const runCall = callRunner(name, options, settings);
  const terms: ServerTerms = { name, version, instructions, toolsNow, runCall, onError };
  if ("http" in transport) {
    const http = readHttpOptions(transport.http);
    return disposable(await serveHttp(http, { ...terms, principal, environment }));
  }
  const { input, output } = transport;
  return disposable({ url: undefined, ...(await serveStdio(input, output, principal, terms)) });
}

type Streams = { readonly input: Readable; readonly output: Writable };

const transportNames: ReadonlySet<string> = new Set(["stdio", "http"]);
const streamNames: ReadonlySet<string> = new Set<keyof Streams>(["input", "output"]);

function readTransport(transport: ServeTransport): Streams | { readonly http: HttpServeOptions } {
  if (transport === "stdio") return { input: process.stdin, output: process.stdout };
  if (typeof transport === "object" && transport !== null) {
    checkOptionNames("serveTools(): transport", transport, transportNames);
    const { http, stdio }: { http?: HttpServeOptions; stdio?: Partial<Streams> } = transport;
    if (http !== undefined && stdio !== undefined) throw wrongTransport();
    if (http !== undefined) return { http };
    checkOptionNames("serveTools(): stdio", stdio ?? {}, streamNames);
    const { input, output } = stdio ?? {};
    if (typeof input?.on === "function" && typeof output?.write === "function") {
      return { input, output };
    }
  }
  throw wrongTransport();
}

function wrongTransport(): ConfigurationError {
  return wrongServe("transport", '"stdio", { stdio: { input, output } } or { http: { … } }');
}

function disposable(server: Omit<ToolServer, typeof Symbol.asyncDispose>): ToolServer {
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}
