import { canonicalJson } from "../messages/canonical-json.js";
import type { JsonObject } from "../messages/json.js";
import type { RememberedDecision } from "../session/remembered-decision.js";
import type { FunctionTool } from "../tools/tool.js";
import { matches } from "./matches.js";
import { requestedTool } from "./requested-tool.js";

/** Of remembered decisions on a tool of this name, the one that holds for a call of it. */
export async function bestDecision(
  named: readonly RememberedDecision[],
  tool: FunctionTool,
  args: JsonObject,
  now: number,
): Promise<RememberedDecision | undefined> {
  const { hash } = await requestedTool(tool);
  let best: RememberedDecision | undefined;
  for (const each of named) {
    if (each.tool.hash !== hash || !isValid(each, now) || !covers(each, args)) continue;
    if (best === undefined || rank(each) >= rank(best)) best = each;
  }
  return best;
}

/** Whether a remembered decision still holds. */
export function isValid({ until, usesLeft }: RememberedDecision, now: number): boolean {
  return (until === undefined || now < until) && (usesLeft === undefined || usesLeft > 0);
}

function covers({ scope }: RememberedDecision, args: JsonObject): boolean {
  if (scope === "tool") return true;
  if ("arguments" in scope) return canonicalOf(scope.arguments) === canonicalOf(args);
  return Object.keys(scope.matching).length > 0 && matches(scope.matching, args);
}

/** There may be thousands of decisions and of calls: each is put into words once. */
const canonical = new WeakMap<JsonObject, string>();

function canonicalOf(args: JsonObject): string {
  const known = canonical.get(args);
  if (known !== undefined) return known;
  const text = canonicalJson(args);
  canonical.set(args, text);
  return text;
}

function rank({ scope }: RememberedDecision): number {
  if (scope === "tool") return 0;
  return "arguments" in scope ? 2 : 1;
}
