import type { RememberedDecision } from "../session/remembered-decision.js";
import { recall } from "./recall.js";
import { isAsTold } from "./stated-facts.js";
import { type Verdict, VerdictContext } from "./verdict.js";

/**
 * The core of the verdicts, what handlers stand around: the decision of the person who was asked, a
 * remembered one, or what the tool itself says.
 */
export async function ownVerdict(context: VerdictContext): Promise<Verdict> {
  if (context.decision) return { kind: "run" };
  const remembered = await recalled(context);
  if (remembered && !remembered.approved) return { kind: "deny", message: rememberedDenial };
  const parts = VerdictContext.partsOf(context);
  parts.needless = !(await mustAsk(context));
  return parts.needless || remembered ? { kind: "run" } : { kind: "ask" };
}

/** What the model is told of a call that a remembered denial covers. */
export const rememberedDenial =
  "not run: a person has denied such calls, and wants this to be remembered. Do not repeat it.";

/** The remembered decision on a call, with the facts that hold now: looked up once, whatever the handlers do. */
export function recalled(context: VerdictContext): Promise<RememberedDecision | undefined> {
  const parts = VerdictContext.partsOf(context);
  parts.recalled ??= recall(parts.run, parts.tool, parts.arguments, (told) =>
    isAsTold(parts, told),
  );
  return parts.recalled;
}

/** Whether the tool wants its call approved. Where it cannot say, somebody is asked. */
async function mustAsk(context: VerdictContext): Promise<boolean> {
  const { approvalMode = "never_require", name } = context.tool;
  if (approvalMode === "never_require") return false;
  if (approvalMode === "always_require") return true;
  const { input } = VerdictContext.partsOf(context);
  try {
    return (await approvalMode(input, context)) !== false;
  } catch (error) {
    context.run.notice(
      "approval_predicate_failed",
      `approvalMode of the tool "${name}" failed: the call needs approval.`,
      error,
    );
    return true;
  }
}
