import { VerdictContext } from "../approvals/verdict.js";
import { MiddlewareTermination } from "../errors/middleware-termination.js";
import { isA } from "../errors/thrown.js";
import type { JsonObject } from "../messages/json.js";
import { areContents } from "../messages/shapes.js";
import { isThenable } from "../onion/is-thenable.js";
import type { Onion } from "../onion/onion.js";
import { observerOf } from "../run/run-context.js";
import type { ToolResult } from "../tools/tool.js";
import { ToolPause } from "../tools/tool-pause.js";
import { argumentErrorResult, failureResult, toToolResult } from "../tools/tool-result.js";
import { checkArguments } from "../tools/validate-arguments.js";
import type { CallContext } from "./call-context.js";
import { judgeChanged } from "./weigh-calls.js";

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
  const { run, batch, ended, judge } = scope;
  const { arguments: args, input } = checked;
  const parts = { tool, call, arguments: args, input, batch, run, ended };
  const refused = await judgeChanged(judge, new VerdictContext(parts));
  if (refused) return refused;
  context.throwIfStopped();
  return execute(context, checked.input);
}

function execute(context: CallContext, input: unknown): ToolResult | Promise<ToolResult> {
  const { state } = context;
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

function completed(context: CallContext, value: unknown): ToolResult {
  const { tool } = context;
  if (isA(value, MiddlewareTermination)) throw endedBy(value, tool.name);
  const { run } = context.state.scope;
  return toToolResult(value, tool.parseResult, (code, message, error) =>
    run.notice(code, message, error),
  );
}

function failed(context: CallContext, thrown: unknown): ToolResult {
  if (isA(thrown, MiddlewareTermination)) throw endedBy(thrown, context.tool.name);
  context.state.thrown = thrown;
  return failureResult(thrown, context.state.scope.includeDetailedErrors);
}

/** A tool may end the run with anything that it may return. */
function endedBy(termination: MiddlewareTermination, name: string): MiddlewareTermination {
  if (isA(termination, ToolPause)) return termination;
  return new MiddlewareTermination(toToolResult(termination.result), termination.endedBy ?? name);
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
