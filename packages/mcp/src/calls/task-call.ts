import { isJsonObject, type JsonObject, ToolError } from "@tunic/core";
import type { McpClient, McpRequestOptions, McpToolCall } from "../client/mcp-client.js";
import { afterFailure } from "../connection/after-failure.js";
import type { McpServer } from "../connection/mcp-server.js";
import { withinMs } from "../connection/within-ms.js";
import { McpError } from "../mcp-error.js";
import type { RemoteTool } from "../tools/remote-tool.js";
import { shortened } from "../transports/noise-log.js";
import type { Clock } from "./call-clock.js";

/** How a call is made that runs as a task. */
export interface TaskTerms {
  readonly server: McpServer;
  /** Of the run. */
  readonly clock: Clock;
}

/** Servers propose how often they are asked; within these milliseconds. */
const shortestPause = 500;
const longestPause = 5000;
/** One question after a task. A late answer is no news of the task. */
const pollMs = 15_000;
/** How long nobody waits for a cancellation, and for the id of what is to be cancelled. */
const cancelMs = 5000;

const methodNotFound = -32601;
const invalidParams = -32602;

/** Whether a tool is called as a task: only where it cannot be called otherwise, and the server knows tasks. */
export function runsAsTask(server: McpServer, client: McpClient, tool: RemoteTool): boolean {
  if (server.options.tasks === undefined) return false;
  const { execution } = tool.definition;
  if (!isJsonObject(execution) || execution["taskSupport"] !== "required") return false;
  return memberOf(client.server.capabilities, ["tasks", "requests", "tools", "call"]) !== undefined;
}

/**
 * Makes a call that the server runs as a task (revision 2025-11-25): the task is created once, asked after until
 * it is over, and its result is fetched. What is created is never created again. Where nobody waits for it any more,
 * the task is cancelled.
 *
 * @throws McpError `mcp_request_failed` where the task fails or is cancelled by the server; ToolError
 * `mcp_connection_lost` where it may or may not have run; the reason of the signal, as it is.
 */
export async function callAsTask(
  client: McpClient,
  call: McpToolCall,
  options: McpRequestOptions,
  terms: TaskTerms,
): Promise<JsonObject> {
  const created = await createTask(client, call, options, terms.server);
  // Then it has been seen to already.
  options.signal?.throwIfAborted();
  const { task } = created;
  // A server that has already done it says so.
  if (task === undefined && created["content"] !== undefined) return created;
  const first = readTask(task);
  return new TaskFollower(first.taskId, options, terms).follow(first);
}

/** What a server tells of a task. */
interface TaskState {
  readonly taskId: string;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  readonly statusMessage: string | undefined;
  readonly pauseMs: number;
}

const statuses: ReadonlySet<unknown> = new Set<TaskState["status"]>([
  "working",
  "input_required",
  "completed",
  "failed",
  "cancelled",
]);

function readTask(value: unknown, taskId?: string): TaskState {
  const {
    status,
    statusMessage,
    pollInterval,
    taskId: id = taskId,
  } = isJsonObject(value) ? value : {};
  if (typeof id !== "string" || !statuses.has(status)) {
    const what =
      taskId === undefined ? "The server has created no task" : "It is no state of a task";
    throw new McpError("mcp_wrong_answer", `${what}: it has no taskId, or no known status.`);
  }
  const wanted = typeof pollInterval === "number" ? pollInterval : 1000;
  return {
    taskId: id,
    status: status as TaskState["status"],
    statusMessage: typeof statusMessage === "string" ? shortened(statusMessage, 500) : undefined,
    pauseMs: Math.min(Math.max(wanted, shortestPause), longestPause),
  };
}

/**
 * Creates it, once. When nobody waits for it any more, the answer is waited for a little longer all the same:
 * without its id, a task cannot be cancelled.
 */
async function createTask(
  client: McpClient,
  call: McpToolCall,
  options: McpRequestOptions,
  server: McpServer,
): Promise<JsonObject> {
  const { tasks } = server.options;
  const { signal } = options;
  signal?.throwIfAborted();
  const task = { ...(tasks?.ttlMs !== undefined && { ttl: tasks.ttlMs }) };
  const controller = new AbortController();
  const creating = client.callTool(
    { ...call, params: { ...call.params, task } },
    { ...options, signal: controller.signal },
  );
  const abort = (): void => {
    const late = "The server did not create the task in time.";
    withinMs(cancelMs, late, () => creating)
      .then((answer) => {
        if (tasks?.cancel === false) return undefined;
        return cancelTask(client, readTask(answer["task"]).taskId, options);
      })
      .catch(() => controller.abort());
  };
  signal?.addEventListener("abort", abort);
  try {
    return await creating;
  } catch (error) {
    // Even where the call may run twice, a task is created once.
    if (error instanceof McpError && isBreak(error) && !error.notSent) {
      throw uncertain(server, error);
    }
    if (!isRefused(error)) throw error;
    // It knows nothing of tasks after all, and has done nothing.
    return await client.callTool(call, options);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

class TaskFollower {
  readonly #taskId: string;
  readonly #options: McpRequestOptions;
  readonly #terms: TaskTerms;
  /** Signs of life. */
  #polls = 0;
  /** Of its connection; a second time is too often. */
  #losses = 0;

  constructor(taskId: string, options: McpRequestOptions, terms: TaskTerms) {
    this.#taskId = taskId;
    this.#options = options;
    this.#terms = terms;
  }

  /** Until it is over. */
  async follow(first: TaskState): Promise<JsonObject> {
    let isOver = false;
    try {
      let state = first;
      for (;;) {
        this.#show(state);
        if (state.status === "input_required" || isTerminal(state)) {
          isOver = isTerminal(state);
          const result = await this.#finish(state);
          isOver = true;
          return result;
        }
        await this.#pause(state.pauseMs);
        state = (await this.#poll()) ?? state;
      }
    } catch (error) {
      if (!isOver && this.#terms.server.options.tasks?.cancel !== false) this.#cancel();
      throw afterCreation(this.#terms.server, error);
    }
  }

  async #finish({ status, statusMessage }: TaskState): Promise<JsonObject> {
    const why = statusMessage === undefined ? "" : ` ${statusMessage}`;
    if (status === "cancelled") {
      throw new McpError("mcp_request_failed", `The server has cancelled the task.${why}`);
    }
    // Of a task that needs input this waits, and what the server asks comes meanwhile.
    const result = await this.#ask("tasks/result", (request) => request(this.#options.signal));
    if (status !== "failed" || result["isError"] === true) return result;
    throw new McpError("mcp_request_failed", `The task has failed.${why}`);
  }

  /** Undefined where nothing new is known. */
  async #poll(): Promise<TaskState | undefined> {
    const { signal } = this.#options;
    try {
      const answer = await this.#ask("tasks/get", (request) =>
        withinMs(pollMs, "No answer.", request, signal),
      );
      return readTask(answer, this.#taskId);
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      if (isPassing(error)) return undefined;
      // A server that was started anew does not know what it did before.
      const isForgotten = this.#losses > 0 && error.code === "mcp_request_failed";
      throw isForgotten ? uncertain(this.#terms.server, error) : error;
    }
  }

  /** A question that may be asked twice: after a break once more, over another connection. */
  async #ask(
    method: string,
    send: (
      request: (signal: AbortSignal | undefined) => Promise<JsonObject>,
    ) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const { connection } = this.#terms.server;
    const { signal, headers, origin } = this.#options;
    for (;;) {
      try {
        const client = await connection.acquire(signal);
        return await send((inner) =>
          client.request(method, { taskId: this.#taskId }, { signal: inner, headers, origin }),
        );
      } catch (error) {
        signal?.throwIfAborted();
        await this.#overcome(error);
      }
    }
  }

  /** A break, the first time. Throws everything else. */
  async #overcome(error: unknown): Promise<void> {
    const { server } = this.#terms;
    if (!(error instanceof McpError) || !isBreak(error)) throw error;
    this.#losses += 1;
    if (this.#losses > 1 || error.code !== "mcp_connection_lost") throw uncertain(server, error);
    const { current } = server.connection;
    if (!error.notSent || current === undefined) return;
    // A session that stays, and does not let this call ask, is no way to go on.
    const reason = await afterFailure(server, current, error, this.#options.headers);
    if (reason !== error) throw uncertain(server, error);
  }

  #show({ status, statusMessage }: TaskState): void {
    this.#polls += 1;
    this.#options.onProgress?.({ progress: this.#polls, message: statusMessage ?? status });
  }

  #pause(ms: number): Promise<void> {
    const { signal } = this.#options;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        cancelTimer();
        reject(signal?.reason);
      };
      const cancelTimer = this.#terms.clock.setTimer(() => {
        signal?.removeEventListener("abort", abort);
        resolve();
      }, ms);
      if (signal?.aborted) abort();
      else signal?.addEventListener("abort", abort, { once: true });
    });
  }

  #cancel(): void {
    const client = this.#terms.server.connection.current;
    if (client !== undefined) void cancelTask(client, this.#taskId, this.#options);
  }
}

/** Nobody waits for it, and nothing is done when it fails. */
async function cancelTask(
  client: McpClient,
  taskId: string,
  { headers, origin }: McpRequestOptions,
): Promise<void> {
  try {
    await withinMs(cancelMs, "No answer.", (signal) =>
      client.request("tasks/cancel", { taskId }, { signal, headers, origin }),
    );
  } catch {
    // It may be over already.
  }
}

/** The task was sent, whatever became of the question. */
function uncertain({ label }: McpServer, cause: McpError): ToolError {
  const fix = `The connection to the server "${label}" broke while its task ran; the call may or may not have had an effect.`;
  return new ToolError(cause.message, { code: "mcp_connection_lost", fix, cause });
}

/** What fails once a task was created is no sign that nothing has run. */
function afterCreation(server: McpServer, error: unknown): unknown {
  if (!(error instanceof McpError)) return error;
  const { code, message } = error;
  if (code === "mcp_request_failed" || code === "mcp_wrong_answer") return error;
  if (code !== "mcp_unauthorized") return uncertain(server, error);
  const fix = `Somebody has to sign in at the server "${server.label}" before it says more of its task; the call may or may not have had an effect.`;
  return new ToolError(message, { code, fix, cause: error });
}

function isBreak({ code }: McpError): boolean {
  return code === "mcp_connection_lost" || code === "mcp_connect_failed" || code === "mcp_closed";
}

function isTerminal({ status }: TaskState): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function isRefused(error: unknown): boolean {
  return (
    error instanceof McpError &&
    (error.rpcCode === methodNotFound || error.rpcCode === invalidParams)
  );
}

/** What may be otherwise at the next question: no answer in time, or a server that is busy. */
function isPassing({ code, rpcCode = 0 }: McpError): boolean {
  return code === "mcp_timeout" || rpcCode === 429 || (rpcCode >= 500 && rpcCode < 600);
}

function memberOf(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), value);
}
