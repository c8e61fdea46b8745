import { ApprovalError } from "../errors/run-errors.js";
import type {
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  Remember,
} from "../messages/content.js";
import { isJsonObject, type JsonObject } from "../messages/json.js";
import type { RunContext } from "../run/run-context.js";
import { AgentSession } from "../session/agent-session.js";
import type { RememberedDecision } from "../session/remembered-decision.js";
import { matchesMember } from "./matches.js";
import { isValid } from "./recall.js";
import { rememberingSession } from "./remembering-session.js";

/**
 * Checks what a decision wants remembered, before anything runs.
 *
 * @throws ApprovalError `remember_needs_session`, or `invalid_decision` for members that the call
 * itself does not have so, and for a time that is over.
 */
export function checkRemember(
  { remember, requestId, arguments: edited }: FunctionApprovalResponseContent,
  { call, effective = {} }: FunctionApprovalRequestContent,
  run: RunContext,
): void {
  if (!remember) return;
  if (rememberingSession(run) === undefined) {
    throw new ApprovalError(
      "remember_needs_session",
      "A decision can be remembered only in a session: run the agent with one, or leave `remember` out.",
      requestId,
    );
  }
  const { scope, until } = remember === true ? ({} as Remember) : remember;
  if (until !== undefined && until <= run.now()) {
    throw new ApprovalError("invalid_decision", "`remember.until` is over already.", requestId);
  }
  if (!isJsonObject(scope)) return;
  const args = edited ?? call.arguments ?? {};
  const { matching } = scope as { readonly matching: JsonObject };
  const fits = (name: string): boolean =>
    matchesMember(matching, args, name) || matchesMember(matching, effective, name);
  const other = Object.keys(matching).find((name) => !fits(name));
  if (other === undefined) return;
  throw new ApprovalError(
    "invalid_decision",
    `\`remember.scope.matching\` must match the call that is decided; its "${other}" is another one.`,
    requestId,
  );
}

/** Writes a decision down for further calls, where it says so. */
export function rememberDecision(
  answer: FunctionApprovalResponseContent,
  request: FunctionApprovalRequestContent,
  args: JsonObject,
  run: RunContext,
): void {
  const { remember, approved, decidedBy, requestId } = answer;
  const session = rememberingSession(run);
  if (!remember || session === undefined || request.tool === undefined) return;
  const { scope = "arguments", until, uses } = remember === true ? ({} as Remember) : remember;
  const { name, owner, hash } = request.tool;
  const decision: RememberedDecision = {
    id: run.newId("remembered"),
    approved,
    tool: { name, ...(owner !== undefined && { owner }), hash },
    scope: scopeOf(scope, args),
    ...(until !== undefined && { until }),
    ...(uses !== undefined && { usesLeft: uses }),
    ...(decidedBy !== undefined && { decidedBy }),
    ...(request.additionalProperties && { additionalProperties: request.additionalProperties }),
    requestId,
    createdAt: run.now(),
  };
  const now = run.now();
  const valid = session.remembered.filter((each) => isValid(each, now));
  AgentSession.remember(session, [...valid, decision]);
}

/** As validated: that is how further calls are compared. */
function scopeOf(
  scope: NonNullable<Remember["scope"]>,
  args: JsonObject,
): RememberedDecision["scope"] {
  if (scope === "tool") return scope;
  if (scope === "arguments") return { arguments: args };
  const names = Object.keys(scope.matching);
  const matching = names.map((name) => [name, args[name] ?? scope.matching[name] ?? null] as const);
  return { matching: Object.fromEntries(matching) };
}
