import { VerdictContext } from "../approvals/verdict.js";
import { MiddlewareTermination } from "../errors/middleware-termination.js";
import { isA } from "../errors/thrown.js";
import type { JsonObject } from "../messages/json.js";
import { sameJson } from "../messages/same-json.js";
import { areContents } from "../messages/shapes.js";
import { isThenable } from "../onion/is-thenable.js";
import type { Onion } from "../onion/onion.js";
import { observerOf } from "../run/run.js";
import type { ToolResult } from "../tools/tool.js";
import { ToolPause } from "../tools/tool-pause.js";
import {
  argumentErrorResult,
  errorResult,
  failureResult,
  toToolResult,
} from "../tools/tool-result.js";
import { checkArguments } from "../tools/validate-arguments.js";
import type { CallContext, CallState } from "./call-context.js";

/**
 * The core of the function onion: the function, then the conversion of its value. What the function
 * throws becomes an error result here; only an orderly end of the run comes out as a throw. A
 * function that returns no promise costs none.
 */
export function runTool(context: CallContext): ToolResult | Promise<ToolResult> {
  const { runnable } = context.state;
  if (context.arguments === runnable.arguments) return execute(context, runnable.input);
  return runChanged(context);
}

/** A handler has changed the arguments: they are checked and judged like those of a model. */
async function runChanged(context: CallContext): Promise<ToolResult> {
  const { scope, runnable } = context.state;
  const { tool, call } = runnable;
  const checked = await checkArguments(tool, context.arguments);
  if (!checked.ok) return argumentErrorResult(checked.message);
  context.arguments = checked.arguments;
  // A copy that says the same is no change: who approved the call has approved this.
  if (sameJson(checked.arguments, runnable.arguments)) return execute(context, checked.input);
  const { run, batch, ended, judge } = scope;
  const { arguments: args, input } = checked;
  const parts = { tool, call, arguments: args, input, batch, run, ended };
  // Few handlers change arguments.
  const { judgeChanged } = await import("./approval-flow.js");
  const refused = await judgeChanged(judge, new VerdictContext(parts));
  if (refused) return refused;
  context.throwIfStopped();
  return execute(context, checked.input);
}

function execute(context: CallContext, input: unknown): ToolResult | Promise<ToolResult> {
  const { state } = context;
  const before = goneOn(state);
  if (before) return before;
  state.attempts++;
  let value: unknown;
  let work: Promise<unknown> | undefined;
  try {
    value = state.runnable.tool.execute?.(input as JsonObject, context);
    // In here, too: a proxy or a getter may throw when it is asked whether it can be waited for.
    if (isThenable(value)) work = Promise.resolve(value);
  } catch (error) {
    return failed(context, error);
  }
  if (work === undefined) return completed(context, value);
  return work.then(
    (settled) => completed(context, settled),
    (error: unknown) => failed(context, error),
  );
}

/** A call that has paused, or that goes on after a pause, is not begun again, whatever handlers do. */
function goneOn({ pause, attempts, runnable }: CallState): ToolResult | undefined {
  if (pause) throw pause;
  if (attempts === 0 || runnable.ruling?.kind !== "resumed") return undefined;
  const message = "not run again: it has gone on once with the answers it was given.";
  return errorResult({ code: "not_repeatable", message });
}

function completed(context: CallContext, value: unknown): ToolResult {
  const { tool } = context;
  if (isA(value, MiddlewareTermination)) throw endedBy(value, context);
  const { run } = context.state.scope;
  return toToolResult(value, tool.parseResult, (code, message, error) =>
    run.notice(code, message, error),
  );
}

function failed(context: CallContext, thrown: unknown): ToolResult {
  if (isA(thrown, MiddlewareTermination)) throw endedBy(thrown, context);
  context.state.thrown = thrown;
  return failureResult(thrown, context.state.scope.includeDetailedErrors);
}

/** A tool may end the run with anything that it may return. */
function endedBy(
  termination: MiddlewareTermination,
  { state, tool }: CallContext,
): MiddlewareTermination {
  if (isA(termination, ToolPause)) {
    state.pause = termination;
    return termination;
  }
  const by = termination.endedBy ?? tool.name;
  return new MiddlewareTermination(toToolResult(termination.result), by);
}

/** The rules of the function onion. */
export const functionOnion: Onion<CallContext, ToolResult> = {
  kind: "function",
  result: "a ToolResult: what next() gave, or toolResult({ contents })",
  inside: (own, signal) => own.inside(signal),
  signalOf: (own) => own.signal,
  observer: (own) => observerOf(own.run),
  isResult: (value): value is ToolResult =>
    typeof value === "object" &&
    value !== null &&
    "contents" in value &&
    areContents(value.contents),
  stray(own, error) {
    own.run.notice(error.code, error.message, error);
  },
  abandoned(own, outcome, error, result) {
    const { scope, runnable } = own.state;
    const failure = error !== undefined && { error };
    const { call, tool } = runnable;
    scope.run.emit("call.abandoned", {
      callId: call.callId,
      toolName: tool.name,
      // What a function throws is a result, but it has failed all the same.
      outcome: result?.isError ? "failed" : outcome,
      ...failure,
    });
  },
};
