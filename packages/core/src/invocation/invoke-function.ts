import { MiddlewareError } from "../errors/middleware-error.js";
import { MiddlewareTermination } from "../errors/middleware-termination.js";
import { isA } from "../errors/thrown.js";
import type { CallDetails } from "../events/run-events.js";
import type { Content, FunctionCallContent } from "../messages/content.js";
import type { Core } from "../onion/onion.js";
import type { Run } from "../run/run.js";
import type { ToolResult } from "../tools/tool.js";
import { ToolPause } from "../tools/tool-pause.js";
import { CallContext, type CallState, type InvocationScope } from "./call-context.js";
import type { RunnableCall } from "./judged-call.js";
import { functionOnion, runTool } from "./run-tool.js";

/** What one call came to, and who ended the run with it, if somebody did; or that it waits. */
export type Invoked =
  | { readonly result: ToolResult; readonly endedBy?: string | undefined }
  | { readonly result?: undefined; readonly pause: ToolPause };

/**
 * Runs one call through the function onion, and tells of its start and its one end. Only a handler
 * that fails and an abort of the run reject. Without an onion, a function that returns no promise
 * costs none.
 *
 * @param onion The composed function onion; absent without function handlers.
 * @param guarded Whether anything can end the run while the call goes on.
 */
export function invokeFunction(
  scope: InvocationScope,
  runnable: RunnableCall,
  onion: Core<CallContext, ToolResult> | undefined,
  guarded: boolean,
): Invoked | Promise<Invoked> {
  const state: CallState = { scope, runnable, attempts: 0, thrown: undefined, pause: undefined };
  const context = new CallContext(state, runnable.arguments, undefined);
  const call = scope.run.observed ? new ObservedCall(state) : undefined;
  let result: ToolResult | Promise<ToolResult>;
  try {
    result = onion ? onion(context) : runTool(context);
  } catch (error) {
    return ended(error, call);
  }
  if (result instanceof Promise) {
    return guarded
      ? settled(state, result, call)
      : result.then(
          (value) => {
            call?.end(value);
            return { result: value };
          },
          (error: unknown) => ended(error, call),
        );
  }
  call?.end(result);
  return { result };
}

/** Waits for the call, or for the end of the run if that comes first. */
async function settled(
  state: CallState,
  work: Promise<ToolResult>,
  call: ObservedCall | undefined,
): Promise<Invoked> {
  const { gate } = state.scope;
  try {
    const result = await gate.pass(work);
    call?.end(result);
    return { result };
  } catch (error) {
    if (gate.aborted && error === gate.reason) {
      work.then(
        () => tellAbandoned(state, "completed", error),
        (late: unknown) => tellAbandoned(state, "failed", error, late),
      );
    }
    return ended(error, call);
  }
}

/** An orderly end is a result; everything else is none. */
function ended(error: unknown, call: ObservedCall | undefined): Invoked {
  if (isA(error, ToolPause)) {
    call?.paused();
    return { pause: error };
  }
  if (!isA(error, MiddlewareTermination)) {
    call?.interrupted(error);
    throw error;
  }
  const { result } = error;
  if (!functionOnion.isResult(result)) {
    throw new MiddlewareError(
      "wrong_result",
      error.endedBy ?? "",
      "ended the run with something that is no tool result. Make one with toolResult().",
    );
  }
  call?.end(result);
  return { result, endedBy: error.endedBy };
}

/** The function went on after the run had ended; what came of it is told, not used. */
function tellAbandoned(
  state: CallState,
  outcome: "completed" | "failed",
  reason: unknown,
  error?: unknown,
): void {
  const { call, tool } = state.runnable;
  const thrown = error ?? state.thrown;
  if (isObedience(thrown, reason)) return;
  const failed = outcome === "failed" || thrown !== undefined;
  state.scope.run.emit("call.abandoned", {
    callId: call.callId,
    toolName: tool.name,
    outcome: failed ? "failed" : "completed",
    ...(thrown !== undefined && { error: thrown }),
  });
}

/** Whether a function failed only because it was told to stop: that is no news. */
function isObedience(failure: unknown, reason: unknown): boolean {
  if (failure === reason) return true;
  // Node's own functions wrap the reason.
  return isA(failure, Error) && failure.name === "AbortError" && failure.cause === reason;
}

/** Tells of a call's start and of its one end. */
class ObservedCall {
  readonly #state: CallState;
  readonly #startedAt: number;
  readonly #waitedBefore: number;

  constructor(state: CallState) {
    this.#state = state;
    const { run } = state.scope;
    this.#startedAt = run.now();
    this.#waitedBefore = run.waitedMs;
    run.emit("call.start", this.#details());
  }

  end(result: ToolResult): void {
    const { thrown } = this.#state;
    this.#tell(result.isError ? "failed" : "completed", result, thrown);
  }

  paused(): void {
    this.#tell("paused", undefined, undefined);
  }

  interrupted(error: unknown): void {
    this.#tell("interrupted", undefined, error);
  }

  #tell(
    outcome: "completed" | "failed" | "interrupted" | "paused",
    result: ToolResult | undefined,
    thrown: unknown,
  ): void {
    const { run } = this.#state.scope;
    run.emit("call.end", {
      ...this.#details(),
      outcome,
      durationMs: run.now() - this.#startedAt - (run.waitedMs - this.#waitedBefore),
      attempts: this.#state.attempts,
      bytes: result === undefined ? 0 : byteLength(result.contents),
      ...(result?.error && { errorCode: result.error.code }),
      ...(thrown !== undefined && { error: thrown }),
    });
  }

  #details(): CallDetails {
    const { runnable, scope } = this.#state;
    return {
      callId: runnable.call.callId,
      toolName: runnable.tool.name,
      iteration: scope.iteration,
      arguments: runnable.arguments,
    };
  }
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
