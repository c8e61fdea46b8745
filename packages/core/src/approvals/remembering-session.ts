import type { RunContext } from "../run/run-context.js";
import { AgentSession } from "../session/agent-session.js";
import type { RememberedDecision } from "../session/remembered-decision.js";

/** The session whose remembered decisions hold in a run: its own, or that of the runs around it. */
export function rememberingSession(run: RunContext | undefined): AgentSession | undefined {
  for (let each = run; each; each = each.parent) if (each.session) return each.session;
  return undefined;
}

/** Takes one use of a remembered decision that has a number of them. Returns whether there was one left. */
export function spendRemembered(run: RunContext, { id, usesLeft }: RememberedDecision): boolean {
  const session = rememberingSession(run);
  if (session === undefined || usesLeft === undefined) return true;
  if (!session.remembered.some((each) => each.id === id)) return false;
  const remembered = session.remembered.flatMap((each) => {
    if (each.id !== id || each.usesLeft === undefined) return [each];
    return each.usesLeft > 1 ? [{ ...each, usesLeft: each.usesLeft - 1 }] : [];
  });
  AgentSession.remember(session, remembered);
  return true;
}
