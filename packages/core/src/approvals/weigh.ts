import type { RememberedDecision } from "../session/remembered-decision.js";
import type { ApprovalDecision } from "../tools/tool.js";
import { recalled, rememberedDenial } from "./own-verdict.js";
import { isAsTold } from "./stated-facts.js";
import { type Verdict, VerdictContext } from "./verdict.js";

/** What the handlers have said, and what a person has decided already. */
export interface WeighedVerdict {
  readonly verdict: Verdict;
  /** The remembered decision that lets the call run. */
  readonly by?: RememberedDecision;
}

/**
 * The verdict of the handlers, once what a person has decided is held against it: whoever was asked
 * is not asked again, and a remembered decision answers a question. Neither covers a violation that
 * the person was not shown, and edited arguments are not asked about twice. Nor does either count where
 * what was stated of the call is another thing by now.
 */
export async function weigh(verdict: Verdict, context: VerdictContext): Promise<WeighedVerdict> {
  const { decision } = context;
  if (decision) {
    const decided = afterDecision(verdict, decision);
    const holds = decided.kind !== "run" || (await holdsStill(context, decision));
    return { verdict: holds ? decided : askedAnew(verdict, decision) };
  }
  if (verdict.kind === "deny" || (verdict.kind === "ask" && verdict.violation !== undefined)) {
    return { verdict };
  }
  const remembered = await recalled(context);
  const { needless } = VerdictContext.partsOf(context);
  // What needs no approval uses none up.
  if (verdict.kind === "run" && needless) return { verdict };
  if (remembered?.approved) return { verdict: { kind: "run" }, by: remembered };
  if (remembered === undefined || verdict.kind === "run") return { verdict };
  return { verdict: { kind: "deny", message: rememberedDenial } };
}

function holdsStill(context: VerdictContext, { additionalProperties }: ApprovalDecision) {
  return isAsTold(VerdictContext.partsOf(context), additionalProperties);
}

/** What a person was told of a call is not so any more. */
function askedAnew(verdict: Verdict, { edited }: ApprovalDecision): Verdict {
  const changed = "what the call was about has changed since somebody agreed to it";
  // The question would show the arguments that the person has changed.
  if (edited) return { kind: "deny", message: `not run: ${changed}.` };
  return { ...(verdict.kind === "ask" ? verdict : { kind: "ask" }), reason: changed };
}

/** A person has approved the call: what the handlers say to that. */
function afterDecision(verdict: Verdict, { edited, violation }: ApprovalDecision): Verdict {
  if (verdict.kind !== "ask") return verdict;
  if (verdict.violation === undefined) return { kind: "run" };
  if (!edited) return verdict.violation === violation ? { kind: "run" } : verdict;
  const message = `not run: with the arguments as a person has changed them, a rule would be broken (${verdict.violation}).`;
  return { kind: "deny", message };
}
