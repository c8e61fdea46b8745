import type { ContentLabel } from "../labels/content-label.js";
import type { CallLeaf } from "./call-leaves.js";
import type { CompiledTool } from "./compile-policy.js";
import type { NamedValues } from "./named-values.js";

/** What a call is judged by. */
export interface CallFacts {
  readonly tool: CompiledTool;
  /** Of the request that produced the call: of whoever decided on it. */
  readonly callLabel: ContentLabel;
  /** All values of the arguments; undefined where one names no variable of this conversation. */
  readonly leaves: readonly CallLeaf[] | undefined;
  readonly named: NamedValues;
  /** How many bits endorsements may still let through. */
  readonly bitsLeft: number;
  /** Whether it counts, too, what the context could tell by the mere choice of a call. */
  readonly strict: boolean;
}
