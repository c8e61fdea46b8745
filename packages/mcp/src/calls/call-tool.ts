import {
  type FunctionInvocationContext,
  type JsonObject,
  ToolError,
  type ToolResult,
} from "@tunic/core";
import { CallOptions } from "../client/call-options.js";
import type { McpProgress, McpRequestOptions } from "../client/mcp-client.js";
import { afterFailure } from "../connection/after-failure.js";
import type { McpServer } from "../connection/mcp-server.js";
import { overNewConnection } from "../connection/over-new-connection.js";
import { madeHeaders } from "../header-values.js";
import { McpError } from "../mcp-error.js";
import { plainText } from "../plain-text.js";
import { wrongOutput } from "../results/check-output.js";
import { failure, readResult } from "../results/read-result.js";
import { isOffered } from "../tools/offered.js";
import type { RemoteTool, RemoteTools } from "../tools/remote-tool.js";
import { shortened } from "../transports/noise-log.js";
import { answerRounds, isPause } from "./answer-rounds.js";
import { withinLimits } from "./call-clock.js";
import { callMeta } from "./call-meta.js";
import type { CallOutcome, Flight, Leg } from "./flight.js";
import { firstRound, pauseWith, type Round, readAnswers } from "./paused-call.js";
import { callAsTask, runsAsTask } from "./task-call.js";

/** A call of a server's tool. */
export interface RemoteCall {
  readonly server: McpServer;
  /** As it was when the model was told of it. */
  readonly tool: RemoteTool;
  /** Whether it may run twice. */
  readonly repeatable: boolean;
  readonly arguments: JsonObject;
  readonly context: FunctionInvocationContext;
}

/**
 * Calls a tool of a server, within its time limits, and reads what comes of it. When the connection breaks, the
 * call is made once more over a new one, where that does no harm: the server has not seen it, or it may run twice.
 * When the server asks a person, the call pauses, and goes on with the answer.
 *
 * @throws ToolError `mcp_connection_lost` where nobody knows whether it has run, `mcp_unavailable` where the server
 * cannot be reached, `mcp_unauthorized` where somebody has to sign in first, `mcp_session_refused` where its session is somebody else's; ToolTimeoutError; the reason of the run's signal, as it is.
 */
export async function callTool(call: RemoteCall): Promise<CallOutcome> {
  const { server, context } = call;
  const { resumed } = context;
  if (resumed === undefined) return start(call, firstRound);
  const { label, flights } = server;
  const next = await readAnswers(resumed, (id) => flights.take(id, context.call.callId), context);
  if (next.kind === "again") return start(call, next.round);
  if (next.kind === "over") return next.outcome;
  if (next.kind === "waits") return waitFor(call, next.flight);
  return failure(
    "mcp_interrupted",
    `Interrupted: the server "${label}" asked something, and its call is gone with the process or the time in which it could be answered. It may or may not have had an effect.`,
  );
}

async function start(call: RemoteCall, round: Round): Promise<CallOutcome> {
  const { server } = call;
  const { headers: own } = server.options;
  const headers = typeof own === "function" ? await madeHeaders(own, call.context) : undefined;
  const flight = server.flights.begin();
  return fly(call, flight, (leg) => {
    const options = new CallOptions(leg.cancellation, flight.progressed, flight, headers);
    return flight.begin(leg, () =>
      overNewConnection(() => callOnce(call, round, options), call.repeatable),
    );
  });
}

/** A call that has waited for a person. */
function waitFor(call: RemoteCall, flight: Flight): Promise<CallOutcome> {
  return fly(call, flight, (leg) => flight.goOn(leg));
}

/** Waits for the call, or until the server asks a person: then it is kept, and this run ends. */
async function fly(
  call: RemoteCall,
  flight: Flight,
  go: (leg: Leg) => Promise<CallOutcome | undefined>,
): Promise<CallOutcome> {
  const { server, context } = call;
  const { label, options, flights } = server;
  let isParked = false;
  let isDone = false;
  const show = progressOf(context);
  const limits = { ...options, repeatable: call.repeatable };
  try {
    let next = go;
    do {
      const outcome = await withinLimits(
        context.run,
        limits,
        context.signal,
        (cancellation, progressed) => {
          const onProgress = (progress: McpProgress): void => {
            progressed();
            show(progress);
          };
          return next({ context, cancellation, onProgress });
        },
      );
      isDone = outcome !== undefined;
      if (outcome !== undefined) return outcome;
      // A server may take its question back at once, or may have answered already when it asks.
      await new Promise((resolve) => setImmediate(resolve));
      next = (leg) => flight.goOn(leg);
    } while (flight.questions.length === 0);
    const ms = options.elicitationTimeoutMs;
    const id = flights.park(flight, context.call.callId, context.run, ms);
    isParked = true;
    return pauseWith(flight.questions, { flight: id }, context, context.run.now() + ms);
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return asResult(label, error);
  } finally {
    flight.leave();
    if (!isParked) flights.end(flight, isDone);
  }
}

async function callOnce(
  call: RemoteCall,
  round: Round,
  options: McpRequestOptions,
): Promise<CallOutcome> {
  const { server, tool, arguments: args } = call;
  const { connection, options: settings } = server;
  const { tools } = server.freshTools ?? (await server.tools(options.signal));
  const gone = whyNotOffered(call, tools);
  if (gone !== undefined) return gone;
  const client = connection.current ?? (await connection.acquire(options.signal));
  try {
    const { name, definition } = tool;
    const meta = callMeta(client, settings.logLevel);
    const answer = await answerRounds(call, round, options, (params) => {
      const request = { name, arguments: args, definition, meta, params };
      return runsAsTask(server, client, tool)
        ? callAsTask(client, request, options, { server, clock: call.context.run })
        : client.callTool(request, options);
    });
    connection.succeeded();
    if (isPause(answer)) return answer;
    const result = readResult(answer, settings.limits.maxResultBytes);
    // Nothing is waited for where a tool says nothing of what it gives.
    if (result.isError || (definition["outputSchema"] ?? null) === null) return result;
    return (await wrongOutput(server, tool, answer)) ?? result;
  } catch (error) {
    throw await afterFailure(server, client, error, options.headers);
  }
}

/** Only what the server offers now, as it was when the model was told, is called. */
function whyNotOffered(
  { server, tool }: RemoteCall,
  tools: RemoteTools["tools"],
): ToolResult | undefined {
  if (!isOffered(tool.name, server.options)) {
    return failure("mcp_tool_gone", `The tool is not allowed here.`);
  }
  const now = tools.get(tool.name);
  if (now === undefined) {
    return failure("mcp_tool_gone", "Not run: the server does not offer this tool any more.");
  }
  if (now.key === tool.key) return undefined;
  return failure("mcp_tool_changed", "Not run: the server has changed this tool meanwhile.");
}

/** Of an error of the protocol. What is longer is no message. */
const longestError = 4000;

/** What the server answers is for the model; what happens on the way is told in our own words. */
export function asResult(label: string, error: McpError): ToolResult {
  const { code, rpcCode } = error;
  const message = shortened(error.message, longestError);
  if (code === "mcp_request_failed") {
    return failure(code, `MCP error${rpcCode === undefined ? "" : ` ${rpcCode}`}: ${message}`);
  }
  if (code === "mcp_wrong_answer") {
    return failure(code, `The server's answer makes no sense. ${message}`);
  }
  if (code === "mcp_connection_lost" && !error.notSent) {
    const fix = `The connection to the server "${label}" broke; the call may or may not have had an effect.`;
    throw new ToolError(message, { code, fix, cause: error });
  }
  if (code === "mcp_unauthorized") {
    const fix = `Not run: somebody has to sign in at the server "${label}" first.`;
    throw new ToolError(message, { code, fix, cause: error });
  }
  if (code === "mcp_session_refused") {
    const fix = `Not run: the server "${label}" does not take calls for this person over its session.`;
    throw new ToolError(message, { code, fix, cause: error });
  }
  const fix = `Not run: the server "${label}" cannot be reached now.`;
  throw new ToolError(message, { code: "mcp_unavailable", fix, retryable: true, cause: error });
}

const longestProgress = 500;

/**
 * Shows how far a call is. While a consumer is busy with what it was shown, only the newest is kept: a server can
 * tell faster than anybody reads.
 */
function progressOf(context: FunctionInvocationContext): (progress: McpProgress) => void {
  let isShowing = false;
  let newest: string | undefined;
  const show = (text: string): void => {
    const shown = context.reportProgress(text);
    if (shown === undefined) return;
    isShowing = true;
    const next = (): void => {
      isShowing = false;
      const text = newest;
      newest = undefined;
      if (text !== undefined) show(text);
    };
    // A consumer that fails fails the run, not the one who tells.
    shown.then(next, () => {});
  };
  return (progress) => {
    if (isShowing) newest = progressText(progress);
    else show(progressText(progress));
  };
}

function progressText({ message, progress, total }: McpProgress): string {
  return typeof message === "string" && message !== ""
    ? plainText(shortened(message, longestProgress))
    : `${progress}${total === undefined ? "" : `/${total}`}`;
}
