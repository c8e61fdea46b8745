import type { JsonObject, JsonValue } from "@tunic/core";
import { newFlowMemory } from "../../src/flow/flow-memory.js";
import { readLeaves } from "../../src/flow/read-call.js";
import type { LabelInput } from "../../src/labels/content-label.js";
import { compilePolicy, unknownTool } from "../../src/policy/compile-policy.js";
import type { EndorseRule, ToolFlow } from "../../src/policy/flow-policy.js";
import { judgeCall } from "../../src/policy/judge-call.js";
import { namedValues } from "../../src/policy/named-values.js";
import { variableStore } from "../../src/variables/variable-store.js";

/** A call, and everything that it is judged by. */
export interface Scene {
  readonly flow?: ToolFlow;
  readonly unknown?: boolean;
  readonly args: JsonObject;
  readonly variables?: readonly (readonly [JsonValue, LabelInput])[];
  readonly call?: LabelInput;
  readonly user?: string;
  readonly endorse?: readonly EndorseRule[];
  readonly bitsLeft?: number;
  readonly strict?: boolean;
}

/** `v1`, `v2` … stand for the variables, in their order. */
export function judged(scene: Scene) {
  const { flow = {}, unknown, args, variables = [], call = "trusted", user = "" } = scene;
  const policy = compilePolicy({
    version: 1,
    tools: { send: flow },
    lists: { people: ["ann", "bob", 7, "eve"], one: ["ann"] },
    endorse: scene.endorse ?? [],
  });
  const { lattice } = policy;
  const store = variableStore(newFlowMemory());
  for (const [value, label] of variables) store.add(value, lattice.label(label), {});
  const compiled = policy.tools.get("send");
  if (compiled === undefined) throw new Error("no tool");
  const tool = unknown ? unknownTool("send", lattice) : compiled;
  const callLabel = lattice.label(call);
  const leaves = readLeaves({ settings: { lattice }, variables: store }, tool, args, callLabel);
  const { violations, endorsements } = judgeCall(policy, {
    tool,
    callLabel,
    leaves,
    named: namedValues([user]),
    bitsLeft: scene.bitsLeft ?? 64,
    strict: scene.strict ?? false,
  });
  return {
    rules: violations.map(({ rule, argument }) => (argument ? `${rule} ${argument}` : rule)),
    endorsed: endorsements.map(({ at, bits }) => [at, bits] as const),
  };
}

export const v = (id: string) => ({ $ref: id });
export const bad = "untrusted";
