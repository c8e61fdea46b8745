import { TunicError } from "@tunic/core";

export type McpErrorCode =
  /** The server could not be reached or started, or refused the handshake. */
  | "mcp_connect_failed"
  /** The connection ended before the answer came. */
  | "mcp_connection_lost"
  /** The server takes its session from whoever has connected only, not from whom this is sent for. */
  | "mcp_session_refused"
  /** Somebody has to sign in at the server first, or that has failed. */
  | "mcp_unauthorized"
  /** The server answered with an error. */
  | "mcp_request_failed"
  /** The server's answer makes no sense. */
  | "mcp_wrong_answer"
  /** The server took too long. */
  | "mcp_timeout"
  /** The list of tools has no end, or is too long. */
  | "mcp_endless_list"
  /** Two tools of the server would have one name. */
  | "mcp_duplicate_tool"
  /** The other side has not said that it can do this. */
  | "mcp_not_supported"
  /** `close()` was called. */
  | "mcp_closed";

export interface McpErrorOptions {
  readonly cause?: unknown;
  /** Default false. */
  readonly notSent?: boolean | undefined;
  readonly rpcCode?: number | undefined;
  readonly data?: unknown;
}

/** What goes wrong between here and an MCP server. */
export class McpError extends TunicError {
  declare readonly code: McpErrorCode;
  /** Whether it is certain that the server has not seen the request: it may be sent again. */
  readonly notSent: boolean;
  /** The code of a JSON-RPC error, such as -32602. */
  readonly rpcCode?: number;
  /** What the server has sent beside its error. */
  readonly data?: unknown;

  constructor(code: McpErrorCode, message: string, options: McpErrorOptions = {}) {
    super(code, message, "cause" in options ? { cause: options.cause } : {});
    this.notSent = options.notSent ?? false;
    if (options.rpcCode !== undefined) this.rpcCode = options.rpcCode;
    if (options.data !== undefined) this.data = options.data;
  }
}

const unavailable: ReadonlySet<string> = new Set<McpErrorCode>([
  "mcp_connect_failed",
  "mcp_connection_lost",
  "mcp_timeout",
  "mcp_unauthorized",
]);

/** Whether a server cannot be reached now, or only by somebody who signs in: another time it may be there. */
export function isUnavailable(error: unknown): error is McpError {
  return error instanceof McpError && unavailable.has(error.code);
}

/** Whether a connection is of no use any more. */
export function isLoss(error: unknown): error is McpError {
  return error instanceof McpError && error.code === "mcp_connection_lost";
}

/** The same, where the server has not seen what was sent over it. */
export function isUnsentLoss(error: unknown): boolean {
  return isLoss(error) && error.notSent;
}
