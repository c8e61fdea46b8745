import { ApprovalError } from "../errors/run-errors.js";
import { canonicalJson } from "../messages/canonical-json.js";
import type {
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  Remember,
} from "../messages/content.js";
import { isJsonObject, type JsonObject } from "../messages/json.js";
import { sameJson } from "../messages/same-json.js";
import type { RunContext } from "../run/run-context.js";
import { AgentSession } from "../session/agent-session.js";
import type { RememberedDecision } from "../session/remembered-decision.js";
import type { FunctionTool } from "../tools/tool.js";
import { requestedTool } from "./requested-tool.js";

/** The session whose remembered decisions hold in a run: its own, or that of the runs around it. */
export function rememberingSession(run: RunContext | undefined): AgentSession | undefined {
  for (let each = run; each; each = each.parent) if (each.session) return each.session;
  return undefined;
}

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
  const { hash } = await requestedTool(tool);
  const now = run.now();
  let best: RememberedDecision | undefined;
  for (const each of named) {
    if (each.tool.hash !== hash || !isValid(each, now) || !covers(each, args)) continue;
    if (best === undefined || rank(each) >= rank(best)) best = each;
  }
  return best;
}

/** Takes one use of a remembered decision that has a number of them. */
export function spendRemembered(run: RunContext, id: string): void {
  const session = rememberingSession(run);
  if (session === undefined) return;
  const remembered = session.remembered.flatMap((each) => {
    if (each.id !== id || each.usesLeft === undefined) return [each];
    return each.usesLeft > 1 ? [{ ...each, usesLeft: each.usesLeft - 1 }] : [];
  });
  AgentSession.remember(session, remembered);
}

/**
 * Checks what a decision wants remembered, before anything runs.
 *
 * @throws ApprovalError `remember_needs_session`, or `invalid_decision` for members that the call
 * itself does not have so, and for a time that is over.
 */
export function checkRemember(
  { remember, requestId, arguments: edited }: FunctionApprovalResponseContent,
  { call }: FunctionApprovalRequestContent,
  run: RunContext,
): void {
  if (remember === undefined) return;
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
  const other = Object.keys(matching).find((name) => !matchesMember(matching, args, name));
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
  if (remember === undefined || session === undefined || request.tool === undefined) return;
  const { scope = "arguments", until, uses } = remember === true ? ({} as Remember) : remember;
  const { name, owner, hash } = request.tool;
  const decision: RememberedDecision = {
    id: run.newId("remembered"),
    approved,
    tool: { name, ...(owner !== undefined && { owner }), hash },
    scope: scope === "arguments" ? { arguments: args } : scope,
    ...(until !== undefined && { until }),
    ...(uses !== undefined && { usesLeft: uses }),
    ...(decidedBy !== undefined && { decidedBy }),
    requestId,
    createdAt: run.now(),
  };
  const now = run.now();
  const valid = session.remembered.filter((each) => isValid(each, now));
  AgentSession.remember(session, [...valid, decision]);
}

/** Whether every member of a pattern is equal in some arguments. */
export function matches(pattern: JsonObject, args: JsonObject): boolean {
  return Object.keys(pattern).every((name) => matchesMember(pattern, args, name));
}

function matchesMember(pattern: JsonObject, args: JsonObject, name: string): boolean {
  return Object.hasOwn(args, name) && sameJson(pattern[name], args[name]);
}

function isOf({ tool }: RememberedDecision, { name, owner }: FunctionTool): boolean {
  return tool.name === name && tool.owner === owner;
}

function isValid({ until, usesLeft }: RememberedDecision, now: number): boolean {
  return (until === undefined || now < until) && (usesLeft === undefined || usesLeft > 0);
}

function covers({ scope }: RememberedDecision, args: JsonObject): boolean {
  if (scope === "tool") return true;
  if ("arguments" in scope) return canonicalJson(scope.arguments) === canonicalJson(args);
  return Object.keys(scope.matching).length > 0 && matches(scope.matching, args);
}

function rank({ scope }: RememberedDecision): number {
  if (scope === "tool") return 0;
  return "arguments" in scope ? 2 : 1;
}
