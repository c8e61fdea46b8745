import { checkOptionNames } from "../errors/configuration-error.js";
import { ApprovalError } from "../errors/run-errors.js";
import type {
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  Remember,
} from "../messages/content.js";
import { copyJson, isJsonObject, type JsonObject } from "../messages/json.js";
import { madeDecision } from "../messages/make-content.js";
import { sameJson } from "../messages/same-json.js";

/** What an approval can say beside yes. */
export interface ApproveOptions {
  /** All arguments as they are to be; only what the request lets a person change may differ. */
  readonly arguments?: JsonObject | undefined;
  /** For the record. */
  readonly reason?: string | undefined;
  /** Holds for further calls, too; `true` means: with exactly these arguments. Needs a session. */
  readonly remember?: boolean | Remember | undefined;
}

/** What a denial can say beside no. */
export type DenyOptions = Omit<ApproveOptions, "arguments">;

/**
 * Yes to a request. Plain JSON: hand it to the next run, or post it to whoever starts that.
 *
 * @throws ApprovalError `not_editable` where it changes arguments that it must not, `invalid_decision`.
 */
export function approve(
  request: FunctionApprovalRequestContent,
  options: ApproveOptions = {},
): FunctionApprovalResponseContent {
  checkOptionNames("approve", options, approveNames);
  const decision = decisionOn(request, true, options);
  if (decision.arguments) checkEdit(request, decision.arguments);
  return decision;
}

/**
 * No to a request. The model is told, with the reason where there is one.
 *
 * @throws ApprovalError `invalid_decision`.
 */
export function deny(
  request: FunctionApprovalRequestContent,
  options: DenyOptions = {},
): FunctionApprovalResponseContent {
  checkOptionNames("deny", options, denyNames);
  return decisionOn(request, false, options);
}

/** What only a server knows about a decision. */
export interface DecisionTerms {
  /** Who decided, from the server's own login: a page cannot say it. */
  readonly decidedBy?: string | undefined;
  /** Whether the page may have decisions remembered. Default true. */
  readonly remember?: boolean | undefined;
}

const termNames: ReadonlySet<string> = new Set<keyof DecisionTerms>(["decidedBy", "remember"]);

/**
 * Reads a decision that a page has posted: JSON text, or what was parsed of it.
 *
 * @throws ApprovalError `invalid_decision` saying what is wrong, also for members that a page cannot set.
 */
export function parseDecision(
  json: unknown,
  terms: DecisionTerms = {},
): FunctionApprovalResponseContent {
  checkOptionNames("parseDecision", terms, termNames);
  const { decidedBy, remember = true } = terms;
  const value = typeof json === "string" ? parsed(json) : json;
  if (isJsonObject(value)) {
    if ("decidedBy" in value) {
      throw invalid(
        "`decidedBy` is for the server to say: parseDecision(json, { decidedBy }).",
        value["requestId"],
      );
    }
    const unknown = Object.keys(value).find((name) => !members.has(name));
    if (unknown !== undefined) {
      throw invalid(`It has the member "${unknown}", which no decision has.`, value["requestId"]);
    }
  }
  const posted = checkDecision(value);
  if (!remember && posted.remember) {
    throw invalid("It is not for a page to have decisions remembered here.", posted.requestId);
  }
  return ownCopy(decidedBy === undefined ? posted : checkDecision({ ...posted, decidedBy }));
}

/**
 * Checks the shape of a decision that comes from outside.
 *
 * @throws ApprovalError `invalid_decision`.
 */
export function checkDecision(value: unknown): FunctionApprovalResponseContent {
  if (!isJsonObject(value) || value["type"] !== "function_approval_response") {
    throw invalid('It is an object with type "function_approval_response"; approve() makes one.');
  }
  const wrong = whyNoDecision(value);
  if (wrong !== undefined) throw invalid(wrong, value["requestId"]);
  return value as unknown as FunctionApprovalResponseContent;
}

function whyNoDecision(value: JsonObject): string | undefined {
  const { requestId, approved, arguments: edited, remember } = value;
  if (typeof requestId !== "string" || requestId === "")
    return "`requestId` must name the request.";
  // Strictly: a text such as "false" would be a yes.
  if (typeof approved !== "boolean") return "`approved` must be true or false.";
  for (const name of ["reason", "decidedBy"]) {
    const text = value[name];
    if (text !== undefined && typeof text !== "string") return `\`${name}\` must be a string.`;
  }
  if (edited !== undefined && !isJsonObject(edited)) return "`arguments` must be an object.";
  if (edited !== undefined && !approved) return "A denial has no `arguments`: nothing runs.";
  return remember === undefined ? undefined : whyNotRemember(remember);
}

/**
 * Checks that a decision changes only what its request lets a person change.
 *
 * @throws ApprovalError `not_editable`.
 */
export function checkEdit(request: FunctionApprovalRequestContent, edited: JsonObject): void {
  const { call, editable, requestId } = request;
  const proposed = call.arguments ?? {};
  if (editable === true || sameJson(proposed, edited)) return;
  const names = new Set([...Object.keys(proposed), ...Object.keys(edited)]);
  const changed = [...names].filter((name) => !sameMember(proposed, edited, name));
  const forbidden = changed.find((name) => !editable?.includes(name));
  if (forbidden === undefined) return;
  const allowed = editable?.length ? `only: ${editable.join(", ")}` : "none";
  throw new ApprovalError(
    "not_editable",
    `The argument "${forbidden}" of "${call.name}" may not be changed when approving it (editable: ${allowed}). \`arguments\` are all of them, as they are to be: leave the others as they are in \`request.call.arguments\`. Or deny the call and say why.`,
    requestId,
  );
}

function sameMember(a: JsonObject, b: JsonObject, name: string): boolean {
  return Object.hasOwn(a, name) === Object.hasOwn(b, name) && sameJson(a[name], b[name]);
}

const denyNames: ReadonlySet<string> = new Set<keyof DenyOptions>(["reason", "remember"]);
const approveNames: ReadonlySet<string> = new Set<keyof ApproveOptions>([
  "arguments",
  "reason",
  "remember",
]);

const members: ReadonlySet<string> = new Set([
  "type",
  "requestId",
  "approved",
  "reason",
  "arguments",
  "remember",
] satisfies (keyof FunctionApprovalResponseContent)[]);

function decisionOn(
  request: FunctionApprovalRequestContent,
  approved: boolean,
  { arguments: edited, reason, remember }: ApproveOptions,
): FunctionApprovalResponseContent {
  const { requestId } = checkRequest(request);
  const decision = {
    type: "function_approval_response",
    requestId,
    approved,
    ...(reason !== undefined && { reason }),
    ...(edited !== undefined && { arguments: edited }),
    ...(remember !== undefined && remember !== false && { remember }),
  };
  return ownCopy(checkDecision(decision));
}

function checkRequest(request: FunctionApprovalRequestContent): FunctionApprovalRequestContent {
  if (
    isJsonObject(request) &&
    typeof request.requestId === "string" &&
    isJsonObject(request.call)
  ) {
    return request;
  }
  throw new ApprovalError(
    "unknown_request",
    "approve() and deny() take an approval request, such as one of session.pending.",
  );
}

/** What was posted may be nested more deeply than anybody can follow. */
function ownCopy(decision: FunctionApprovalResponseContent): FunctionApprovalResponseContent {
  try {
    return madeDecision(copyJson(decision));
  } catch {
    throw invalid("It is nested too deeply.", decision.requestId);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("It is no JSON.");
  }
}

const rememberNames: ReadonlySet<string> = new Set<keyof Remember>(["scope", "until", "uses"]);

function whyNotRemember(remember: unknown): string | undefined {
  if (typeof remember === "boolean") return undefined;
  if (!isJsonObject(remember)) return "`remember` must be true, false or an object.";
  const { scope, until, uses } = remember;
  const unknown = Object.keys(remember).find((name) => !rememberNames.has(name));
  if (unknown !== undefined) return `\`remember\` has no member "${unknown}".`;
  if (until !== undefined && !Number.isFinite(until)) {
    return "`remember.until` must be a time in milliseconds since the epoch.";
  }
  if (uses !== undefined && !(Number.isSafeInteger(uses) && Number(uses) >= 1)) {
    return "`remember.uses` must be a whole number of at least 1.";
  }
  return isScope(scope)
    ? undefined
    : '`remember.scope` must be "arguments", "tool" or { matching: { … } } with at least one member.';
}

function isScope(scope: unknown): boolean {
  if (scope === undefined || scope === "arguments" || scope === "tool") return true;
  if (!isJsonObject(scope) || Object.keys(scope).length !== 1) return false;
  const { matching } = scope;
  return isJsonObject(matching) && Object.keys(matching).length > 0;
}

function invalid(message: string, requestId?: unknown): ApprovalError {
  return new ApprovalError(
    "invalid_decision",
    `This is no decision on an approval request: ${message}`,
    typeof requestId === "string" ? requestId : undefined,
  );
}
