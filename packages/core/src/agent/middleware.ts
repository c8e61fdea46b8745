import type { Verdict, VerdictContext } from "../approvals/verdict.js";
import type { ChatResponse } from "../chat/chat-client.js";
import type { ChatContext } from "../chat/chat-context.js";
import type { Handler } from "../onion/handler.js";
import type { FunctionInvocationContext, ToolResult } from "../tools/tool.js";
import type { AgentContext } from "./agent-context.js";
import type { AgentResponse } from "./agent-response.js";

/** A place in an onion that stands before or after all others; each can be taken once. */
export type Seat = "outermost" | "innermost";

/** The handlers of a middleware, by the onion they belong to. */
export interface Handlers {
  /** Once for each run. */
  readonly agent?: Handler<AgentContext, AgentResponse>;
  /** Once for each model round trip. */
  readonly chat?: Handler<ChatContext, ChatResponse>;
  /** Once for each call, the whole batch before any of it runs. */
  readonly verdict?: Handler<VerdictContext, Verdict>;
  /** Once for each call that runs. */
  readonly function?: Handler<FunctionInvocationContext, ToolResult>;
}

/**
 * One concern, with a handler in each onion that it needs to be in. A plain object or a class;
 * holds configuration only, because it serves any number of runs at once: state belongs to
 * `context.run.state`.
 */
export interface Middleware extends Handlers {
  /** Unique in a list; a run-level middleware replaces the agent's of the same name. */
  readonly name: string;
  readonly placement?: { readonly [Kind in keyof Handlers]?: Seat };
}

/** Options of the makers. */
export interface MiddlewareOptions {
  readonly placement?: Seat;
}

/** A middleware with one handler around the whole run. */
export function agentMiddleware(
  name: string,
  handler: Handler<AgentContext, AgentResponse>,
  options: MiddlewareOptions = {},
): Middleware {
  return { name, agent: handler, ...seat("agent", options) };
}

/** A middleware with one handler around each model round trip. */
export function chatMiddleware(
  name: string,
  handler: Handler<ChatContext, ChatResponse>,
  options: MiddlewareOptions = {},
): Middleware {
  return { name, chat: handler, ...seat("chat", options) };
}

/** A middleware with one handler that judges each call before its batch runs. */
export function verdictMiddleware(
  name: string,
  handler: Handler<VerdictContext, Verdict>,
  options: MiddlewareOptions = {},
): Middleware {
  return { name, verdict: handler, ...seat("verdict", options) };
}

/** A middleware with one handler around each call. */
export function functionMiddleware(
  name: string,
  handler: Handler<FunctionInvocationContext, ToolResult>,
  options: MiddlewareOptions = {},
): Middleware {
  return { name, function: handler, ...seat("function", options) };
}

function seat(
  kind: keyof Handlers,
  { placement }: MiddlewareOptions,
): Pick<Middleware, "placement"> {
  return placement ? { placement: { [kind]: placement } } : {};
}
