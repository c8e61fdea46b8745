import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import {
  type AgentSession,
  type ApprovalMode,
  ConfigurationError,
  checkOptionNames,
  type FunctionTool,
  isJsonObject,
  type RunContext,
} from "@tunic/core";
import type { McpLogEntry } from "./client/mcp-client.js";
import type { McpTransport } from "./target.js";
import { checkPrefix } from "./tools/tool-name.js";

/** For whom a request goes out. Outside a run, such as when connecting, there is nobody. */
export interface McpHeadersContext {
  readonly run: RunContext | undefined;
  readonly session: AgentSession | undefined;
  /** Of which a call is made. */
  readonly tool: FunctionTool | undefined;
}

/** Headers of a request, or a function that says them for each call. */
export type McpHeaders =
  | Readonly<Record<string, string>>
  | ((
      context: McpHeadersContext,
    ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Which of a server's tools somebody is asked about, by the server's own names. `alwaysRequire` wins. */
export interface McpApproval {
  readonly alwaysRequire?: readonly string[] | undefined;
  readonly neverRequire?: readonly string[] | undefined;
  /** Of all others. Default `never_require`. */
  readonly otherwise?: ApprovalMode | undefined;
}

/** What a server may send. */
export interface McpLimits {
  /** Bytes of one result. Default 10 MiB. */
  readonly maxResultBytes?: number | undefined;
  /** Default 500. */
  readonly maxTools?: number | undefined;
  /** Bytes of one tool's definition. Default 64 KiB. */
  readonly maxSchemaBytes?: number | undefined;
}

/** How the tools of a server are offered and called. */
export interface McpToolsOptions {
  /** The server's label: whose tools they are, and what their names begin with. Default: made from the target. */
  readonly name?: string | undefined;
  /** What the tools' names begin with, instead of the label. */
  readonly toolNamePrefix?: string | undefined;
  /** By the server's own names. Default: all. None: the server is not even connected to. */
  readonly allowedTools?: readonly string[] | undefined;
  /** By the server's own names; wins over `allowedTools`. */
  readonly blockedTools?: readonly string[] | undefined;
  /** When somebody is asked. Default: as agent and middleware have it, which count these tools as somebody else's. */
  readonly approvalMode?: ApprovalMode | McpApproval | undefined;
  /** Tools that you know to change nothing, by the server's own names; the server's word for it is not taken. */
  readonly readOnlyTools?: readonly string[] | undefined;
  /** Tools that may run twice for one call, after a connection broke. Those of `readOnlyTools` may. */
  readonly repeatableTools?: readonly string[] | undefined;
  /** Take the server's word for which tools change nothing, and which may run twice. Default false. */
  readonly trustAnnotations?: boolean | undefined;
  /** Wins over what the target looks like. */
  readonly transport?: McpTransport | undefined;
  /** Over HTTP, for the server's own origin. Those of the protocol itself cannot be changed. */
  readonly headers?: McpHeaders | undefined;
  /**
   * Signs in at servers that ask for it (OAuth), as the SDK has it. Where somebody has to be sent to a page for it,
   * what needs the server fails with `mcp_unauthorized` until `finishAuth()` was called.
   */
  readonly authProvider?: OAuthClientProvider | undefined;
  /** Which line of the SDK. Default `auto`: the second where `@modelcontextprotocol/client` is installed. */
  readonly sdk?: "auto" | 1 | 2 | undefined;
  /** Milliseconds until a server has started and listed its tools. Default 30 000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Milliseconds that a call may take without a sign of progress. Default 60 000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds that a call may take, whatever progress it makes. Default 600 000. */
  readonly maxTotalTimeoutMs?: number | undefined;
  readonly limits?: McpLimits | undefined;
  /** Gets what the server logs, and what it writes beside the protocol. */
  readonly onLog?: ((entry: McpLogEntry) => void) | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof McpToolsOptions>([
  "name",
  "toolNamePrefix",
  "allowedTools",
  "blockedTools",
  "approvalMode",
  "readOnlyTools",
  "repeatableTools",
  "trustAnnotations",
  "transport",
  "headers",
  "authProvider",
  "sdk",
  "connectTimeoutMs",
  "timeoutMs",
  "maxTotalTimeoutMs",
  "limits",
  "onLog",
]);
const approvalNames: ReadonlySet<string> = new Set<keyof McpApproval>([
  "alwaysRequire",
  "neverRequire",
  "otherwise",
]);
const limitNames: ReadonlySet<string> = new Set<keyof McpLimits>([
  "maxResultBytes",
  "maxTools",
  "maxSchemaBytes",
]);

/** Options with their defaults, and lists as sets. */
export interface ReadOptions {
  readonly allowed: ReadonlySet<string> | undefined;
  readonly blocked: ReadonlySet<string>;
  readonly readOnly: ReadonlySet<string>;
  readonly repeatable: ReadonlySet<string>;
  readonly trustAnnotations: boolean;
  readonly approvalFor: (remoteName: string) => ApprovalMode | undefined;
  readonly headers: McpHeaders | undefined;
  readonly connectTimeoutMs: number;
  readonly timeoutMs: number;
  readonly maxTotalTimeoutMs: number;
  readonly limits: { readonly [Name in keyof McpLimits]-?: number };
}

/** @throws ConfigurationError `unknown_option` or `invalid_option`, saying what to write. */
export function readOptions(options: McpToolsOptions): ReadOptions {
  checkOptionNames("mcpTools()", options, optionNames);
  for (const option of ["name", "toolNamePrefix"] as const) {
    if (options[option] !== undefined) checkPrefix(option, options[option]);
  }
  const { limits = {}, trustAnnotations = false, headers, onLog, sdk } = options;
  checkOptionNames("mcpTools(): limits", limits, limitNames);
  if (typeof trustAnnotations !== "boolean") throw wrong("trustAnnotations", "true or false");
  if (sdk !== undefined && sdk !== "auto" && sdk !== 1 && sdk !== 2) {
    throw wrong("sdk", '"auto", 1 or 2');
  }
  if (onLog !== undefined && typeof onLog !== "function") throw wrong("onLog", "a function");
  if (headers !== undefined && typeof headers !== "function" && !isTextRecord(headers)) {
    throw wrong("headers", "an object of texts, or a function that returns one");
  }
  return {
    allowed: options.allowedTools && names("allowedTools", options.allowedTools),
    blocked: names("blockedTools", options.blockedTools),
    readOnly: names("readOnlyTools", options.readOnlyTools),
    repeatable: names("repeatableTools", options.repeatableTools),
    trustAnnotations,
    approvalFor: readApproval(options.approvalMode),
    headers,
    connectTimeoutMs: amount("connectTimeoutMs", options.connectTimeoutMs, 30_000),
    timeoutMs: amount("timeoutMs", options.timeoutMs, 60_000),
    maxTotalTimeoutMs: amount("maxTotalTimeoutMs", options.maxTotalTimeoutMs, 600_000),
    limits: {
      maxResultBytes: amount("limits.maxResultBytes", limits.maxResultBytes, 10 * 1024 * 1024),
      maxTools: amount("limits.maxTools", limits.maxTools, 500),
      maxSchemaBytes: amount("limits.maxSchemaBytes", limits.maxSchemaBytes, 64 * 1024),
    },
  };
}

function readApproval(
  mode: ApprovalMode | McpApproval | undefined,
): (remoteName: string) => ApprovalMode | undefined {
  if (typeof mode !== "object") return () => mode;
  const { alwaysRequire, neverRequire, otherwise } = mode;
  checkOptionNames("mcpTools(): approvalMode", mode, approvalNames);
  const always = names("approvalMode.alwaysRequire", alwaysRequire);
  const never = names("approvalMode.neverRequire", neverRequire);
  return (name) => {
    if (always.has(name)) return "always_require";
    return never.has(name) ? "never_require" : otherwise;
  };
}

function names(option: string, list: readonly string[] | undefined): ReadonlySet<string> {
  if (list === undefined) return new Set();
  if (!Array.isArray(list) || list.some((each) => typeof each !== "string")) {
    throw wrong(option, "a list of the server's own names of tools");
  }
  return new Set(list);
}

function amount(option: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value === "number" && value > 0 && value <= 2 ** 31 - 1) return value;
  throw wrong(option, "a number above 0");
}

function isTextRecord(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every((each) => typeof each === "string");
}

function wrong(option: string, expected: string): ConfigurationError {
  return new ConfigurationError("invalid_option", `mcpTools(): ${option} must be ${expected}.`);
}
