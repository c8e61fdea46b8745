import { ConfigurationError, checkOptionNames } from "@tunic/core";
import { servedAmount, wrongServe } from "../wrong-option.js";
import { type Authenticator, type HttpAuth, readAuth } from "./authenticate.js";
import type { RefusedRequest } from "./refused-request.js";

/** How tools are served over streamable HTTP. */
export interface HttpServeOptions {
  /** Default 0: any that is free; `url` of the server says which. */
  readonly port?: number | undefined;
  /** The address to listen at. Default `127.0.0.1`: nobody else can reach it. Others need `auth`. */
  readonly host?: string | undefined;
  /** Default `/mcp`. */
  readonly path?: string | undefined;
  /** Who may call. Default: whoever can reach the address. */
  readonly auth?: HttpAuth | undefined;
  /** Pages that may call, such as `https://app.example`. Default: none; programs that are no browser send no origin. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /**
   * What a request may name as its host, as the header has it: `mcp.example`, or `mcp.example:8443` where the port is not
   * the usual one. The loopback address needs none; one such as `0.0.0.0` cannot be without.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Gets what was not let in, and why; for logs. Default: nobody is told. What it throws goes to `onError` of the server. */
  readonly onRefused?: ((refused: RefusedRequest) => unknown) | undefined;
  /** Bytes of one request. Default 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Sessions at the same time. Default 1000. */
  readonly maxSessions?: number | undefined;
  /** Milliseconds without a request after which a session ends. Default 30 minutes. */
  readonly sessionIdleMs?: number | undefined;
  /** Milliseconds after which a session ends in any case. Default 12 hours. */
  readonly sessionMaxAgeMs?: number | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof HttpServeOptions>([
  "port",
  "host",
  "path",
  "auth",
  "allowedOrigins",
  "allowedHosts",
  "onRefused",
  "maxBodyBytes",
  "maxSessions",
  "sessionIdleMs",
  "sessionMaxAgeMs",
]);

/** Options with their defaults. */
export interface HttpSettings {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly authenticator: Authenticator | undefined;
  readonly origins: ReadonlySet<string>;
  readonly hosts: readonly string[];
  readonly onRefused: ((refused: RefusedRequest) => unknown) | undefined;
  readonly maxBodyBytes: number;
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
  readonly sessionMaxAgeMs: number;
}

/** @throws ConfigurationError `unknown_option`, `invalid_option`, or `public_server` for an open address without `auth`. */
export function readHttpOptions(options: HttpServeOptions): HttpSettings {
  checkOptionNames("serveTools(): http", options, optionNames);
  const { port = 0, host = "127.0.0.1", path = "/mcp", auth, onRefused } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw wrongServe("http.port", "a number from 0 to 65535");
  }
  if (typeof host !== "string" || host === "") throw wrongServe("http.host", "an address");
  if (typeof path !== "string" || !/^\/[^?#\s]*$/.test(path)) {
    throw wrongServe("http.path", 'a path such as "/mcp"');
  }
  if (onRefused !== undefined && typeof onRefused !== "function") {
    throw wrongServe("http.onRefused", "a function");
  }
  const authenticator = auth === undefined ? undefined : readAuth(auth);
  const hosts = texts("http.allowedHosts", options.allowedHosts).map(readHost);
  if (authenticator === undefined && !isLoopback(host)) throw openToAll(host);
  return {
    port,
    host,
    // As clients write it, who resolve dots and encode what no address can hold.
    path: new URL(`http://localhost${path}`).pathname,
    authenticator,
    hosts,
    onRefused,
    origins: new Set(texts("http.allowedOrigins", options.allowedOrigins).map(readOrigin)),
    maxBodyBytes: servedAmount("http.maxBodyBytes", options.maxBodyBytes, 4 * 1024 * 1024),
    maxSessions: servedAmount("http.maxSessions", options.maxSessions, 1000),
    sessionIdleMs: servedAmount("http.sessionIdleMs", options.sessionIdleMs, 30 * 60_000),
    sessionMaxAgeMs: servedAmount("http.sessionMaxAgeMs", options.sessionMaxAgeMs, 12 * 3_600_000),
  };
}

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  return /^(localhost|(::ffff:)?127(\.\d{1,3}){3}|::1)$/i.test(host);
}

/**
 * Holds an address against what was asked for: a name may lead anywhere, and addresses have many spellings.
 *
 * @param bound That is listened at, in its usual form.
 * @throws ConfigurationError
 */
export function checkBound(
  bound: string,
  { host, hosts, authenticator }: Pick<HttpSettings, "host" | "hosts" | "authenticator">,
): void {
  if (authenticator === undefined && !isLoopback(bound)) throw openToAll(host);
  if (hosts.length > 0 || !/^(0\.0\.0\.0|::|::ffff:0\.0\.0\.0)$/i.test(bound)) return;
  throw new ConfigurationError(
    "invalid_option",
    `serveTools(): at "${host}" it can be reached by many names; say which count: http: { allowedHosts: ["mcp.example"] }.`,
  );
}

function openToAll(host: string): ConfigurationError {
  return new ConfigurationError(
    "public_server",
    `serveTools(): others can reach "${host}", and anybody could call: say who may with http: { auth: { bearer: token } }, or listen at 127.0.0.1.`,
  );
}

function texts(option: string, list: readonly string[] | undefined): readonly string[] {
  if (list === undefined) return [];
  if (Array.isArray(list) && list.every((each) => typeof each === "string" && each !== "")) {
    return list;
  }
  throw wrongServe(option, "a list of texts");
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && url.origin !== "null" && url.href === `${url.origin}/`)
    return url.origin;
  throw wrongServe("http.allowedOrigins", `a list such as ["https://app.example"]; got "${text}"`);
}

/** As it stands in the header: a name or an address, and the port where it is said. What could never stand there would refuse all. */
function readHost(text: string): string {
  const [, name = "", port = ""] = /^(\[[^\]]+\]|[^:/?#@\\*\s]+)(:\d+)?$/.exec(text) ?? [];
  const host = hostIn(`https://${name}`);
  if (host !== undefined) return `${host}${port}`;
  const meant = hostIn(text) ?? hostIn(`https://${text}`) ?? hostIn(`https://[${text}]`);
  const hint = meant === undefined ? "" : `; did you mean "${meant}"?`;
  throw wrongServe(
    "http.allowedHosts",
    `a list such as ["mcp.example", "mcp.example:8443"], without "https://"; got "${text}"${hint}`,
  );
}

/** An address's host, with its port where that is not the usual one. */
function hostIn(address: string): string | undefined {
  const host = URL.canParse(address) ? new URL(address).host : "";
  return /^[^*]+$/.test(host) ? host : undefined;
}
