import type { JsonObject, RunContext } from "@tunic/core";
import { expandReferences, UnknownReferenceError } from "../tree/reference.js";
import { type FlowRun, flowOf } from "./flow-run.js";

/**
 * Arguments with the values that references stand for, in one pass.
 *
 * @throws UnknownReferenceError for one that this conversation does not hold.
 */
export function expand({ variables }: Pick<FlowRun, "variables">, args: JsonObject): JsonObject {
  return expandReferences(args, (id, path) => variables.get(id, path)?.value);
}

/**
 * The arguments of a call with the values that references stand for, for handlers of one's own: a function
 * handler finds references in `context.arguments` (what it hands on has to keep them, or their labels are
 * lost). As they are where a reference stands for nothing, and in a run without information flow control.
 */
export function expandedArguments(context: {
  readonly arguments: JsonObject;
  readonly run: RunContext;
}): JsonObject {
  const flow = flowOf(context.run);
  if (flow === undefined) return context.arguments;
  try {
    return expand(flow, context.arguments);
  } catch (error) {
    if (error instanceof UnknownReferenceError) return context.arguments;
    throw error;
  }
}
