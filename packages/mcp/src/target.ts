import { ConfigurationError, checkOptionNames, isJsonObject } from "@tunic/core";
import { splitCommand } from "./command-line.js";
import { unfitHeader } from "./header-values.js";
import { noTexts } from "./option-values.js";

/** How a server is talked to. `http` is streamable HTTP alone, without falling back to SSE. */
export type McpTransport = "stdio" | "http" | "sse" | "websocket";

/** A server that is started here, and talked to over its input and output. */
export interface StdioServer {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Beside the few variables that every program needs; nothing else of this process's environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The folder that it is started in. Default, and what a relative one is counted from: that of this process. */
  readonly cwd?: string | undefined;
}

/** A server that runs somewhere. */
export interface RemoteServer {
  readonly url: string | URL;
  readonly transport?: Exclude<McpTransport, "stdio"> | undefined;
  /** With every request to the server's own origin. Not with a WebSocket, which cannot send any. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const stdioNames: ReadonlySet<string> = new Set<keyof StdioServer>([
  "command",
  "args",
  "env",
  "cwd",
]);
const remoteNames: ReadonlySet<string> = new Set<keyof RemoteServer>([
  "url",
  "transport",
  "headers",
]);

/** What a target names, once it is read. */
export type ReadTarget =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
    }
  | {
      readonly kind: "http";
      readonly url: URL;
      /** `auto`: streamable HTTP, and SSE where the server does not know that. */
      readonly transport: "auto" | "http" | "sse";
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: "websocket"; readonly url: URL };

/**
 * Reads what names a server: a URL, a command line, or an object of either kind. An explicit transport wins.
 * Without one `ws:` and `wss:` are WebSockets, a path that ends in `/sse` is SSE (in any case, with or without
 * slashes behind it; the query does not count), and every other `http:` and `https:` is streamable HTTP.
 *
 * @param transport Wins over that of the target.
 * @throws ConfigurationError `invalid_target` or `unknown_option`, saying what to write.
 */
export function readTarget(
  target: string | URL | StdioServer | RemoteServer,
  transport?: McpTransport,
): ReadTarget {
  if (typeof target === "string") return readText(target, transport);
  if (target instanceof URL) return readRemote({ url: target }, transport);
  if (!isJsonObject(target)) throw invalid("must be a text or an object");
  if ("url" in target) {
    checkOptionNames("mcpTools(): a target with `url`", target, remoteNames);
    return readRemote(target as unknown as RemoteServer, transport);
  }
  if ("command" in target) {
    checkOptionNames("mcpTools(): a target with `command`", target, stdioNames);
    return readStdio(target as unknown as StdioServer, transport);
  }
  throw invalid("has neither `command` nor `url`");
}

function readText(text: string, transport: McpTransport | undefined): ReadTarget {
  const trimmed = text.trim();
  if (transport !== "stdio" && /^(https?|wss?):/i.test(trimmed)) {
    return readRemote({ url: trimmed }, transport);
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) {
    throw invalid(noAddress);
  }
  if (transport !== "stdio" && /^([a-z\d.-]+|\[[\da-f:]+\]):\d+(\/\S*)?$/i.test(trimmed)) {
    throw invalid("is an address without http:// or https:// before it");
  }
  const [command, ...args] = splitCommand(trimmed);
  if (command === undefined) throw invalid("is empty");
  return readStdio({ command, args }, transport);
}

function readStdio(
  { command, args = [], env = {}, cwd }: StdioServer,
  transport: McpTransport | undefined,
): ReadTarget {
  if (transport !== undefined && transport !== "stdio") {
    throw invalid(`is a command, which "${transport}" cannot reach: write a URL`);
  }
  const texts = [command, ...(Array.isArray(args) ? args : [undefined])];
  if (command === "" || texts.some((each) => typeof each !== "string")) {
    throw invalid("needs `command` (a text) and `args` (a list of texts)");
  }
  if (/^[A-Za-z_]\w*=/.test(command)) {
    throw invalid("begins with a variable, which belongs into `env`: write { command, args, env }");
  }
  const unfit = noTexts(env);
  if (unfit !== undefined) throw invalid(`has \`env\` ${unfit}`);
  if (cwd !== undefined && typeof cwd !== "string") throw invalid("has a `cwd` that is no text");
  if ([...texts, ...Object.values(env), cwd].some((each) => each?.includes("\0"))) {
    throw invalid("has a text with a character U+0000, which no program can be given");
  }
  return { kind: "stdio", command, args: [...args], env: { ...env }, cwd };
}

function readRemote(
  { url: address, transport: own, headers = {} }: RemoteServer,
  given: McpTransport | undefined,
): ReadTarget {
  const transport = given ?? own;
  const url = readUrl(address);
  const isSocket = url.protocol === "ws:" || url.protocol === "wss:";
  if (!isSocket && url.protocol !== "http:" && url.protocol !== "https:") {
    throw invalid(noAddress);
  }
  if (hasUserinfo(url)) {
    throw invalid("has a name or a password before its host: send it with `headers`");
  }
  if (typeof headers === "function") {
    throw invalid(
      "has `headers` that are a function, which goes into the options: mcpTools({ url }, { headers })",
    );
  }
  const stray = noTexts(headers);
  const unfit = stray === undefined ? unfitHeader(headers) : `\`headers\` ${stray}`;
  if (unfit !== undefined) throw invalid(`has ${unfit}`);
  switch (transport) {
    case undefined:
      if (isSocket) return { kind: "websocket", url };
      return {
        kind: "http",
        url,
        transport: /\/sse\/*$/i.test(url.pathname) ? "sse" : "auto",
        headers: { ...headers },
      };
    case "websocket":
      return { kind: "websocket", url: withProtocol(url, "ws") };
    case "http":
    case "sse":
      return { kind: "http", url: withProtocol(url, "http"), transport, headers: { ...headers } };
    default:
      throw invalid(`has the transport "${transport}"; a URL takes "http", "sse" or "websocket"`);
  }
}

/** The same address under the scheme of another transport, as safe as before. */
function withProtocol(url: URL, scheme: "ws" | "http"): URL {
  const isSecure = url.protocol === "wss:" || url.protocol === "https:";
  return new URL(url.href.replace(/^\w+:/, `${scheme}${isSecure ? "s" : ""}:`));
}

/** What `fetch` refuses, with an error that shows it. */
export function hasUserinfo({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

function readUrl(address: string | URL): URL {
  try {
    return new URL(address);
  } catch {
    throw invalid("is no URL");
  }
}

/** Addresses and commands are not shown in errors: there may be secrets in them. */
const noAddress = "is no address of http, https, ws or wss";

function invalid(why: string): ConfigurationError {
  return new ConfigurationError(
    "invalid_target",
    `The target of mcpTools() ${why}. Write "https://…", "npx -y some-server", { command, args }, { url }, or a client.`,
  );
}
