import type { JsonObject } from "@tunic/core";
import { expandReferences } from "../tree/reference.js";
import type { FlowRun } from "./flow-run.js";

/**
 * Arguments with the values that references stand for, in one pass.
 *
 * @throws UnknownReferenceError for one that this conversation does not hold.
 */
export function expand({ variables }: Pick<FlowRun, "variables">, args: JsonObject): JsonObject {
  return expandReferences(args, (id, path) => variables.get(id, path)?.value);
}
