import type { CallDetails } from "../events/run-events.js";
import type { Content, FunctionCallContent } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import type { Message } from "../messages/message.js";
import type { Update } from "../messages/update.js";
import { isThenable } from "../onion/is-thenable.js";
import type { AbortGate } from "../run/abort-gate.js";
import type { Run, RunContext, Services } from "../run/run-context.js";
import type { AgentSession } from "../session/agent-session.js";
import { checkProgress } from "../tools/check-progress.js";
import type { FunctionInvocationContext, FunctionTool, Tool, ToolResult } from "../tools/tool.js";
import type { ToolList } from "../tools/tool-list.js";
import { failureResult, toToolResult } from "../tools/tool-result.js";
import type { RunnableCall } from "./judge-batch.js";

/** What the calls of one round have in common. */
export interface InvocationScope {
  readonly run: Run;
  /** What stops the calls of this round. */
  readonly gate: AbortGate;
  readonly tools: ToolList;
  readonly iteration: number;
  /** What the model saw when it made the calls. */
  readonly messages: readonly Message[];
  readonly includeDetailedErrors: boolean;
  /** Absent when nobody watches the stream. */
  readonly emit: ((update: Update) => void | Promise<void>) | undefined;
}

/**
 * Runs one call: the function, then the conversion of its value. What the function throws becomes
 * an error result here; only an abort of the run rejects. A function that returns no promise costs
 * none.
 */
export function invokeFunction(
  scope: InvocationScope,
  runnable: RunnableCall,
): ToolResult | Promise<ToolResult> {
  const invocation = new Invocation(scope, runnable);
  let value: unknown;
  let work: Promise<unknown> | undefined;
  try {
    value = runnable.tool.execute?.(runnable.input as JsonObject, new CallContext(scope, runnable));
    // In here, too: a proxy or a getter may throw when it is asked whether it can be waited for.
    if (isThenable(value)) work = Promise.resolve(value);
  } catch (error) {
    return invocation.failed(error);
  }
  return work === undefined ? invocation.completed(value) : invocation.wait(work);
}

/** One call while it runs: tells of its start and of its one end. */
class Invocation {
  readonly #scope: InvocationScope;
  readonly #runnable: RunnableCall;
  readonly #startedAt: number = 0;
  readonly #waitedBefore: number = 0;
  /** Whether the start was told: only then is there an end to tell. */
  readonly #told: boolean;

  constructor(scope: InvocationScope, runnable: RunnableCall) {
    this.#scope = scope;
    this.#runnable = runnable;
    const { run } = scope;
    this.#told = run.observed;
    if (!this.#told) return;
    this.#startedAt = run.now();
    this.#waitedBefore = run.waitedMs;
    run.emit("call.start", this.#details());
  }

  completed(value: unknown): ToolResult {
    const { run } = this.#scope;
    const { parseResult } = this.#runnable.tool;
    const result = toToolResult(value, parseResult, (code, message, error) =>
      run.notice(code, message, error),
    );
    if (this.#told) this.#end(result.isError ? "failed" : "completed", result);
    return result;
  }

  failed(thrown: unknown): ToolResult {
    const result = failureResult(thrown, this.#scope.includeDetailedErrors);
    if (this.#told) this.#end("failed", result, thrown);
    return result;
  }

  /** Waits for the function, or for the end of the run if that comes first. */
  async wait(promise: Promise<unknown>): Promise<ToolResult> {
    const { gate } = this.#scope.run;
    let value: unknown;
    try {
      value = await gate.pass(promise);
    } catch (error) {
      if (!gate.aborted || error !== gate.reason) return this.failed(error);
      if (this.#told) this.#end("interrupted", undefined, error);
      promise.then(
        () => this.#abandoned("completed"),
        (late: unknown) => {
          if (!isObedience(late, error)) this.#abandoned("failed", late);
        },
      );
      throw error;
    }
    return this.completed(value);
  }

  #end(
    outcome: "completed" | "failed" | "interrupted",
    result: ToolResult | undefined,
    thrown?: unknown,
  ): void {
    const { run } = this.#scope;
    run.emit("call.end", {
      ...this.#details(),
      outcome,
      durationMs: run.now() - this.#startedAt - (run.waitedMs - this.#waitedBefore),
      attempts: 1,
      bytes: result === undefined ? 0 : byteLength(result.contents),
      ...(result?.error && { errorCode: result.error.code }),
      ...(thrown !== undefined && { error: thrown }),
    });
  }

  /** The function went on after the run had ended; what came of it is told, not used. */
  #abandoned(outcome: "completed" | "failed", error?: unknown): void {
    const { callId, toolName } = this.#details();
    const failure = error !== undefined && { error };
    this.#scope.run.emit("call.abandoned", { callId, toolName, outcome, ...failure });
  }

  #details(): CallDetails {
    const { call, tool } = this.#runnable;
    return {
      callId: call.callId,
      toolName: tool.name,
      iteration: this.#scope.iteration,
      arguments: this.#runnable.arguments,
    };
  }
}

/** Whether a function failed only because it stopped when its signal told it to: that is no news. */
function isObedience(failure: unknown, reason: unknown): boolean {
  if (failure === reason) return true;
  // Node's own functions wrap the reason.
  return failure instanceof Error && failure.name === "AbortError" && failure.cause === reason;
}

/** Tells of a call that was answered without running. */
export function tellRefused(run: Run, call: FunctionCallContent, result: ToolResult): void {
  if (!run.observed) return;
  const details: CallDetails = {
    callId: call.callId,
    toolName: call.name,
    iteration: run.rounds,
    ...(call.arguments && { arguments: call.arguments }),
  };
  run.emit("call.start", details);
  run.emit("call.end", {
    ...details,
    outcome: "refused",
    durationMs: 0,
    attempts: 0,
    bytes: byteLength(result.contents),
    ...(result.error && { errorCode: result.error.code }),
  });
}

function byteLength(contents: readonly Content[]): number {
  try {
    return new TextEncoder().encode(JSON.stringify(contents)).length;
  } catch {
    // Something in them is no JSON: that is no reason to fail a call because somebody watches it.
    return 0;
  }
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

  /** Of the gate that this call runs behind: a run that goes on after a time limit has a new one. */
  get signal(): AbortSignal {
    return this.#scope.gate.signal;
  }

  get streamed(): boolean {
    return this.#scope.emit !== undefined;
  }

  // The methods come from getters, bound: a tool may take them out of the context, and one that
  // needs none of them pays for none.

  get addTools(): FunctionInvocationContext["addTools"] {
    const { tools, run } = this.#scope;
    return (input) => {
      const added = tools.add(input);
      if (added.length > 0) run.emit("tools.changed", { added: namesOf(added), removed: [] });
    };
  }

  get removeTools(): FunctionInvocationContext["removeTools"] {
    const { tools, run } = this.#scope;
    return (input) => {
      const removed = tools.remove(input);
      if (removed.length > 0) run.emit("tools.changed", { added: [], removed: namesOf(removed) });
    };
  }

  get reportProgress(): FunctionInvocationContext["reportProgress"] {
    const { emit } = this.#scope;
    const { callId } = this.call;
    return (progress) => {
      // Also where nobody watches: a slip is to be found by the first test.
      checkProgress(progress);
      if (typeof progress === "string") {
        const contents: Content[] = [{ type: "text", text: progress }];
        return emit?.({ type: "progress", callId, contents });
      }
      if ("update" in progress) {
        return emit?.({ type: "progress", callId, update: progress.update });
      }
      return emit?.({ type: "progress", callId, contents: progress });
    };
  }
}

function namesOf(tools: readonly Tool[]): readonly string[] {
  return tools.map((tool) => tool.name);
}
