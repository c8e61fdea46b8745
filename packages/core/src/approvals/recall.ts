import { canonicalJson } from "../messages/canonical-json.js";
import type { JsonObject } from "../messages/json.js";
import type { RunContext } from "../run/run-context.js";
import type { RememberedDecision } from "../session/remembered-decision.js";
import type { FunctionTool } from "../tools/tool.js";
import { matches } from "./matches.js";
import { rememberingSession } from "./remembering-session.js";
import { requestedTool } from "./requested-tool.js";

/**
 * The remembered decision that says what is to become of a call. The most specific one counts, and
 * of those the newest.
 *
 * @param isAsTold Whether the facts that an approval was given for hold. Default: they do.
 */
export async function recall(
  run: RunContext,
  tool: FunctionTool,
  args: JsonObject,
  isAsTold: (told: JsonObject | undefined) => boolean | Promise<boolean> = () => true,
): Promise<RememberedDecision | undefined> {
  const session = rememberingSession(run);
  if (session === undefined || session.remembered.length === 0) return undefined;
  const named = session.remembered.filter((each) => isOf(each, tool));
  if (named.length === 0) return undefined;
  const { hash } = await requestedTool(tool);
  const now = run.now();
  let best: RememberedDecision | undefined;
  for (const each of named) {
    if (each.tool.hash !== hash || !isValid(each, now) || !covers(each, args)) continue;
    if (best !== undefined && rank(each) < rank(best)) continue;
    // A no asks for nothing to be as it was.
    if (!each.approved || (await isAsTold(each.additionalProperties))) best = each;
  }
  return best;
}

function isOf({ tool }: RememberedDecision, { name, owner }: FunctionTool): boolean {
  return tool.name === name && tool.owner === owner;
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
