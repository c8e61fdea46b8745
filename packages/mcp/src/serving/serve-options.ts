import type { Readable, Writable } from "node:stream";
import {
  type AgentOptions,
  checkOptionNames,
  type FunctionApprovalRequestContent,
  type FunctionApprovalResponseContent,
  type Principal,
  type RunEvent,
} from "@tunic/core";
import { isPrincipal } from "./caller.js";
import { harmless } from "./harmless.js";
import type { HttpServeOptions } from "./http/http-options.js";
import { servedAmount, wrongServe } from "./wrong-option.js";

/** Where calls come in: over this process's own streams, over others, or over HTTP. */
export type ServeTransport =
  | "stdio"
  | { readonly stdio: { readonly input: Readable; readonly output: Writable } }
  | { readonly http: HttpServeOptions };

/** For whom somebody is asked. */
export interface ServedApprovalContext {
  readonly principal: Principal | undefined;
  /** Fires when the call is cancelled, or its client has gone. */
  readonly signal: AbortSignal;
}

/**
 * What becomes of a call that somebody has to be asked about. `refuse`: it is not run, and the answer says why.
 * `elicit`: the person at the client is asked, where the client can do that: a form that is accepted is a yes unless its
 * field `approve` says no. A call that would break a rule is refused all the same. The client is a program of somebody else: it may as well answer by itself. A function: decides on
 * this side, such as by asking an inbox; anything but an answer is a refusal. An answer holds for this call alone: `remember` has no
 * session to be kept in.
 */
export type ServedApprovals =
  | "refuse"
  | "elicit"
  | ((
      request: FunctionApprovalRequestContent,
      context: ServedApprovalContext,
    ) =>
      | FunctionApprovalResponseContent
      | undefined
      | Promise<FunctionApprovalResponseContent | undefined>);

/** Which call an event belongs to. Its runs have one session of their own: `sessionId` of the event. */
export interface ServedCall {
  /** The served tool's name; an agent's, where one is served. */
  readonly tool: string;
  readonly principal: Principal | undefined;
}

/** The parts of an agent that stand around served tools: calls pass all of them. */
type Layers = Pick<
  AgentOptions,
  "middleware" | "contextProviders" | "invocation" | "services" | "environment"
>;

/** How tools are served. */
export interface ServeOptions extends Layers {
  /**
   * Where calls come in. `stdio` is one client, at this process's standard input and output, or at other streams; `http`
   * is as many as come, and who may call is said in there (`auth`).
   */
  readonly transport: ServeTransport;
  /** How the server calls itself. Default: the agent's name, or `tunic`. */
  readonly name?: string | undefined;
  /** Default `0.0.0`. */
  readonly version?: string | undefined;
  /** What a client is told about the server as a whole. */
  readonly instructions?: string | undefined;
  /** On whose behalf calls run where the transport does not say it. Default: nobody's. */
  readonly principal?: Principal | undefined;
  /** Default `refuse`. */
  readonly approvals?: ServedApprovals | undefined;
  /** Milliseconds that the person at the client has. Default 300 000. */
  readonly approvalTimeoutMs?: number | undefined;
  /**
   * Whether calls count as trusted for information flow. Default false: what wrote them may have read anything.
   */
  readonly trustCalls?: boolean | undefined;
  /** Calls at the same time, of all clients together; further ones are answered "busy". Default 64. */
  readonly maxConcurrentCalls?: number | undefined;
  /** Gets what clients are not told: why a run failed, what is wrong with a connection. Default: a warning of the process. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Gets the events of all calls, as `onEvent` of a run has them; `call.end` says what a tool has thrown. What it throws
   * goes to `onError`.
   */
  readonly onEvent?: ((event: RunEvent, call: ServedCall) => unknown) | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof ServeOptions>([
  "transport",
  "name",
  "version",
  "instructions",
  "principal",
  "approvals",
  "approvalTimeoutMs",
  "trustCalls",
  "maxConcurrentCalls",
  "onError",
  "onEvent",
  "middleware",
  "contextProviders",
  "invocation",
  "services",
  "environment",
]);

/** Options with their defaults. */
export interface ServeSettings {
  readonly approvals: ServedApprovals;
  readonly approvalTimeoutMs: number;
  readonly trustCalls: boolean;
  readonly maxConcurrentCalls: number;
  readonly principal: Principal | undefined;
  readonly onError: (error: unknown) => void;
  readonly onEvent: ((event: RunEvent, call: ServedCall) => void) | undefined;
}

/** @throws ConfigurationError `unknown_option` or `invalid_option`, saying what to write. */
export function readServeOptions(options: ServeOptions): ServeSettings {
  checkOptionNames("serveTools()", options, optionNames);
  const { approvals = "refuse", trustCalls = false, principal } = options;
  const { onError = warn, onEvent } = options;
  if (approvals !== "refuse" && approvals !== "elicit" && typeof approvals !== "function") {
    throw wrongServe("approvals", '"refuse", "elicit" or a function');
  }
  if (principal !== undefined && !isPrincipal(principal)) {
    throw wrongServe("principal", "such as { id, roles }");
  }
  if (typeof trustCalls !== "boolean") throw wrongServe("trustCalls", "true or false");
  for (const [name, listener] of Object.entries({ onError, onEvent })) {
    if (listener !== undefined && typeof listener !== "function") {
      throw wrongServe(name, "a function");
    }
  }
  for (const name of ["name", "version", "instructions"] as const) {
    const text = options[name];
    if (text !== undefined && typeof text !== "string") throw wrongServe(name, "a text");
  }
  const tellError = harmless(onError, warn);
  return {
    approvals,
    trustCalls,
    onError: tellError,
    onEvent: onEvent && harmless(onEvent, tellError),
    principal,
    approvalTimeoutMs: servedAmount("approvalTimeoutMs", options.approvalTimeoutMs, 300_000),
    maxConcurrentCalls: servedAmount("maxConcurrentCalls", options.maxConcurrentCalls, 64),
  };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error), "McpServerWarning");
}
