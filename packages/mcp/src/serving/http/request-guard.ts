import type { IncomingMessage } from "node:http";
import { type HttpSettings, isLoopback } from "./http-options.js";

/** Why a request is not served. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the JSON-RPC error. Default -32000. */
  readonly code?: number;
}

/**
 * Checks where a request comes from before anything else is done with it. A page that has its own name point to this
 * machine (DNS rebinding) names itself as the host; a page elsewhere has its origin written on the request by the browser.
 *
 * @param port That is listened at.
 */
export function whyForeign(
  request: IncomingMessage,
  settings: HttpSettings,
  port: number,
): Refusal | undefined {
  const hosts = valuesOf(request, "host");
  const [host = ""] = hosts;
  if (hosts.length !== 1 || !hostsOf(settings, port).includes(host.toLowerCase())) {
    return { status: 403, message: "Forbidden: this host is not served here" };
  }
  const origins = valuesOf(request, "origin");
  if (origins.length === 0) return undefined;
  const [origin = ""] = origins;
  if (origins.length === 1 && isAllowed(origin, settings, port)) return undefined;
  return { status: 403, message: "Forbidden: this origin is not allowed" };
}

/** Whether a page may call: one that is listed, or one of this very address, where nothing but this server can have put it. */
function isAllowed(origin: string, settings: HttpSettings, port: number): boolean {
  if (settings.origins.has(origin)) return true;
  return (
    isLoopback(settings.host) &&
    ownHosts(settings, port).some((host) => origin === `http://${host}`)
  );
}

/** All values of a header: of one that is sent twice, Node keeps the first. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  return rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}

function hostsOf(settings: HttpSettings, port: number): readonly string[] {
  return [...settings.hosts, ...ownHosts(settings, port)];
}

/** The address that is listened at, by all of its names. */
function ownHosts({ host }: HttpSettings, port: number): readonly string[] {
  const names = isLoopback(host) ? ["localhost", "127.0.0.1", "::1", host] : [host];
  const own = names.map((name) => (name.includes(":") ? `[${name}]` : name).toLowerCase());
  // Browsers leave out the port that HTTP has by default.
  return [...own.map((name) => `${name}:${port}`), ...(port === 80 ? own : [])];
}

/** What a page's browser has to be told, so that the page may read the answer. */
export function crossOriginHeaders(request: IncomingMessage): Readonly<Record<string, string>> {
  const { origin } = request.headers;
  if (origin === undefined) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "mcp-session-id, www-authenticate",
    vary: "origin",
  };
}

/** And what, before it sends the request at all. */
export function preflightHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const wanted = String(headers["access-control-request-headers"] ?? "")
    .toLowerCase()
    .split(/\s*,\s*/);
  return {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": [
      "authorization, content-type, mcp-session-id, mcp-protocol-version, last-event-id, mcp-method, mcp-name",
      // Arguments that a tool wants as headers, too.
      ...wanted.filter((name) => /^mcp-param-[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)),
    ].join(", "),
    "access-control-max-age": "600",
  };
}
