import type { JsonObject } from "../messages/json.js";
import type { RunContext } from "../run/run-context.js";
import type { RememberedDecision } from "../session/remembered-decision.js";
import type { FunctionTool } from "../tools/tool.js";
import { bestDecision } from "./best-decision.js";
import { rememberingSession } from "./remembering-session.js";

/**
 * The remembered decision that says what is to become of a call. The most specific one counts, and
 * of those the newest.
 */
export async function recall(
  run: RunContext,
  tool: FunctionTool,
  args: JsonObject,
): Promise<RememberedDecision | undefined> {
  const session = rememberingSession(run);
  if (session === undefined || session.remembered.length === 0) return undefined;
  const named = session.remembered.filter((each) => isOf(each, tool));
  if (named.length === 0) return undefined;
  return bestDecision(named, tool, args, run.now());
}

function isOf({ tool }: RememberedDecision, { name, owner }: FunctionTool): boolean {
  return tool.name === name && tool.owner === owner;
}
