import type { FunctionTool, JsonValue } from "@tunic/core";
import { digest } from "../audit/digest.js";
import type { FlowViolation } from "../policy/flow-policy.js";
import { toolHash } from "../policy/tool-identity.js";
import { originalOf } from "../tools/wrap-tool.js";
import type { ReadCall } from "./read-call.js";

/** A permit that was used: for as long as its call runs, over all its pauses. */
export function given(permit: string): string {
  return `given ${permit}`;
}

/**
 * What a person's yes is for, as a hash: this occurrence, this definition of the tool, these arguments with
 * what their references stand for, these labels, and these rules. Whatever of it changes needs another yes.
 */
export function permitFor(
  tool: FunctionTool,
  callId: string,
  { effective, leaves = [], callLabel }: ReadCall,
  violations: readonly FlowViolation[],
): string {
  return digest({
    callId,
    tool: toolHash(originalOf(tool)),
    effective,
    labels: leaves.map(({ path, label }) => [path, { ...label }]) as unknown as JsonValue,
    callLabel: { ...callLabel } as unknown as JsonValue,
    violations: violations.map(({ rule, argument = null }) => [rule, argument]),
  });
}
