import { type Content, type FunctionCallContent, textContent } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import type { Message } from "../messages/message.js";
import type { Update } from "../messages/update.js";
import type { Run, RunContext, Services } from "../run/run-context.js";
import type { AgentSession } from "../session/agent-session.js";
import type { FunctionInvocationContext, FunctionTool, Tool, ToolInput, ToolResult } from "../tools/tool.js";
import type { ToolList } from "../tools/tool-list.js";
import { failureResult, toToolResult } from "../tools/tool-result.js";
import type { RunnableCall } from "./judge-batch.js";

/** What the calls of one round have in common. */
export interface InvocationScope {
  readonly run: Run;
  readonly tools: ToolList;
  readonly iteration: number;
  /** What the model saw when it made the calls. */
  readonly messages: readonly Message[];
  readonly includeDetailedErrors: boolean;
  /** Absent when nobody watches the stream. */
  readonly emit?: (update: Update) => void | Promise<void>;
}

/**
 * Runs one call: the function, then the conversion of its value. What the function throws becomes
 * an error result here; only an abort of the run rejects.
 */
export async function invokeFunction(scope: InvocationScope, runnable: RunnableCall): Promise<ToolResult> {
  const { run } = scope;
  const { gate } = run;
  const { call, tool } = runnable;
  const details = { callId: call.callId, toolName: tool.name, iteration: scope.iteration };
  const startedAt = run.observed ? run.now() : 0;
  const waitedBefore = run.waitedMs;
  if (run.observed) run.emit("call.start", { ...details, arguments: runnable.arguments });
  let thrown: unknown;
  let result: ToolResult | undefined;
  try {
    const value = execute(scope, runnable);
    const settled = isThenable(value) ? await gate.pass(watched(scope, call, tool, value)) : value;
    result = toToolResult(settled, tool.parseResult && ((raw: unknown) => parsed(run, tool, raw)));
  } catch (error) {
    thrown = error;
    if (!gate.aborted || error !== gate.reason) result = failureResult(error, scope.includeDetailedErrors);
  }
  if (run.observed) {
    run.emit("call.end", {
      ...details,
      outcome: result === undefined ? "interrupted" : result.isError ? "failed" : "completed",
      durationMs: run.now() - startedAt - (run.waitedMs - waitedBefore),
      attempts: 1,
      bytes: result === undefined ? 0 : byteLength(result.contents),
      ...(result?.error && { errorCode: result.error.code }),
      ...(thrown !== undefined && { error: thrown }),
    });
  }
  if (result === undefined) throw thrown;
  return result;
}

function execute(scope: InvocationScope, runnable: RunnableCall): unknown {
  const context = new CallContext(scope, runnable);
  return runnable.tool.execute?.(runnable.input as JsonObject, context);
}

/** A tool's own conversion; its failure is told and leaves the usual one. */
function parsed(run: Run, tool: FunctionTool, value: unknown): string | readonly Content[] {
  try {
    return tool.parseResult?.(value) ?? "";
  } catch (error) {
    run.notice("parse_result_failed", `parseResult of the tool "${tool.name}" failed.`, error);
    throw error;
  }
}

/** The function's promise; when the run was stopped meanwhile, its late outcome becomes an event. */
function watched(
  scope: InvocationScope,
  call: FunctionCallContent,
  tool: FunctionTool,
  work: PromiseLike<unknown>,
): Promise<unknown> {
  const promise = Promise.resolve(work);
  const { run } = scope;
  const { gate } = run;
  const late = (outcome: "completed" | "failed", error?: unknown): void => {
    if (!gate.aborted) return;
    const failure = error !== undefined && { error };
    run.emit("call.abandoned", { callId: call.callId, toolName: tool.name, outcome, ...failure });
  };
  promise.then(
    () => late("completed"),
    (error: unknown) => late("failed", error),
  );
  return promise;
}

function byteLength(contents: readonly Content[]): number {
  return new TextEncoder().encode(JSON.stringify(contents)).length;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/** What the function sees beside its arguments; most of it is looked up only when asked for. */
class CallContext implements FunctionInvocationContext {
  readonly tool: FunctionTool;
  readonly call: FunctionCallContent;
  readonly arguments: JsonObject;
  readonly #scope: InvocationScope;

  constructor(scope: InvocationScope, runnable: RunnableCall) {
    this.tool = runnable.tool;
    this.call = runnable.call;
    this.arguments = runnable.arguments;
    this.#scope = scope;
  }

  get run(): RunContext {
    return this.#scope.run;
  }

  get agentId(): string | undefined {
    return this.#scope.run.agent?.id;
  }

  get agentName(): string | undefined {
    return this.#scope.run.agent?.name;
  }

  get session(): AgentSession | undefined {
    return this.#scope.run.session;
  }

  get messages(): readonly Message[] {
    return this.#scope.messages;
  }

  get tools(): readonly Tool[] {
    return this.#scope.tools.current;
  }

  get services(): Services {
    return this.#scope.run.services;
  }

  get iteration(): number {
    return this.#scope.iteration;
  }

  get signal(): AbortSignal {
    return this.#scope.run.signal;
  }

  get streamed(): boolean {
    return this.#scope.emit !== undefined;
  }

  addTools(tools: ToolInput): void {
    const added = this.#scope.tools.add(tools);
    if (added.length > 0) this.#scope.run.emit("tools.changed", { added: namesOf(added), removed: [] });
  }

  removeTools(tools: string | Tool | readonly (string | Tool)[]): void {
    const removed = this.#scope.tools.remove(tools);
    if (removed.length > 0) this.#scope.run.emit("tools.changed", { added: [], removed: namesOf(removed) });
  }

  reportProgress(progress: string | readonly Content[] | { readonly update: Update }): void | Promise<void> {
    const { callId } = this.call;
    if (typeof progress === "string") {
      return this.#scope.emit?.({ type: "progress", callId, contents: [textContent(progress)] });
    }
    if ("update" in progress) return this.#scope.emit?.({ type: "progress", callId, update: progress.update });
    return this.#scope.emit?.({ type: "progress", callId, contents: progress });
  }
}

function namesOf(tools: readonly Tool[]): readonly string[] {
  return tools.map((tool) => tool.name);
}
