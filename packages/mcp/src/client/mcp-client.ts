import type { JsonObject } from "@tunic/core";

/**
 * A connection to one MCP server, as the rest of this package sees it: plain requests, and answers as
 * plain data that nobody has looked at. Behind it stands one of the two lines of the official SDK, or
 * whatever else keeps this contract.
 */
export interface McpClient {
  readonly server: McpServerInfo;
  /**
   * Sends a request and resolves with its result.
   *
   * @throws McpError `mcp_request_failed` where the server answers with an error, `mcp_connection_lost`
   * where no answer can come any more, `mcp_wrong_answer` where it makes no sense; the reason of the signal, as it is.
   */
  request(method: string, params?: JsonObject, options?: McpRequestOptions): Promise<JsonObject>;
  /** One page of tools as the server describes them. The cursor is that of the page before. */
  listTools(cursor?: string, options?: McpRequestOptions): Promise<McpPage>;
  /** A tool call, whatever comes of it. Errors as {@link request} has them. */
  callTool(call: McpToolCall, options?: McpRequestOptions): Promise<JsonObject>;
  /** Tells the server something that needs no answer. */
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Ends the connection, and the server where it was started here. Never rejects, may be called twice. */
  close(): Promise<void>;
}

/** What a server says of itself. */
export interface McpServerInfo {
  readonly name: string;
  readonly version: string;
  readonly instructions?: string | undefined;
  /** As negotiated, such as `2025-11-25`; absent where it is not known. */
  readonly protocolVersion?: string | undefined;
  /** As the server declares them. */
  readonly capabilities: JsonObject;
}

export interface McpRequestOptions {
  /** Of this request alone. When it fires, the server is told that the request is cancelled. */
  readonly signal?: AbortSignal | undefined;
  /** Given: a progress token is sent. */
  readonly onProgress?: ((progress: McpProgress) => void) | undefined;
  /** Sent with the HTTP requests of this one, to the server's own origin only. Other transports ignore them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Hand back a result that asks for input (`resultType: "input_required"`, revision 2026-07-28). Default: the
   * handlers of {@link McpHooks} are asked, and the request is sent again with their answers.
   */
  readonly allowInputRequired?: boolean | undefined;
  /**
   * Whatever the caller knows this request by. A request that the server makes while it works on this one
   * gets it, where the transport tells which one that is.
   */
  readonly origin?: unknown;
}

/** How far the server is. All of it comes from the server. */
export interface McpProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface McpPage {
  readonly items: readonly unknown[];
  /** Absent on the last page. */
  readonly nextCursor?: string | undefined;
}

export interface McpToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
  /** The tool as the server has listed it: some of its arguments may have to be headers. */
  readonly definition?: JsonObject | undefined;
  /** Goes beside the arguments as `_meta`. */
  readonly meta?: JsonObject | undefined;
  /** Further parameters of the request, such as `task`, or `inputResponses` and `requestState`. */
  readonly params?: JsonObject | undefined;
}

/** What a client does when the server speaks first. */
export interface McpHooks {
  /** What the client says that it can, such as `{ sampling: {} }`. Default: nothing. */
  readonly capabilities?: JsonObject | undefined;
  /** Answers to requests of the server, by method, such as `roots/list`. Without one: method not found. */
  readonly requests?: Readonly<Record<string, ServerRequestHandler>> | undefined;
  /** Notifications of the server, by method, such as `notifications/tools/list_changed`. Not awaited. */
  readonly notifications?: Readonly<Record<string, (params: JsonObject) => void>> | undefined;
  /** What server and transport have to say: log messages, lines that are no protocol, troubles of the wire. */
  readonly log?: ((entry: McpLogEntry) => void) | undefined;
  /** The connection has ended, whoever has ended it. Called once. */
  readonly closed?: (() => void) | undefined;
}

/** A throw becomes a JSON-RPC error; of an {@link McpError} its `rpcCode` and message. */
export type ServerRequestHandler = (
  params: JsonObject,
  context: ServerRequestContext,
) => Promise<JsonObject>;

export interface ServerRequestContext {
  /** Fires when the server takes the request back, or the connection ends. */
  readonly signal: AbortSignal;
  /** The `origin` of the request that the server works on, where the transport tells. */
  readonly origin: unknown;
}

/** A line of a server's log, or of what came with it. */
export interface McpLogEntry {
  readonly level: McpLogLevel;
  /** `stderr`, `stdout`, `transport`, or what the server calls its logger. */
  readonly logger: string;
  /** Text, or JSON as the server has sent it; texts are cut to 2000 characters. */
  readonly data: unknown;
}

export type McpLogLevel =
  | "debug"
  | "info"
  | "notice"
  | "warning"
  | "error"
  | "critical"
  | "alert"
  | "emergency";
