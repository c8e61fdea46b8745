import type {
  FunctionApprovalRequestContent,
  FunctionCallContent,
  PausedCallContent,
} from "../messages/content.js";
import { copyJson, isJsonObject, type JsonObject } from "../messages/json.js";
import { sameJson } from "../messages/same-json.js";
import { isThenable } from "../onion/is-thenable.js";
import type { Run } from "../run/run.js";
import type { ApprovalContext, FunctionTool } from "../tools/tool.js";
import type { ToolPause } from "../tools/tool-pause.js";
import { type ApprovalSettings, defaultExpiryMs } from "./approval-options.js";
import { rememberingSession } from "./remembering-session.js";
import { requestedTool } from "./requested-tool.js";
import { signPause } from "./sign-batch.js";
import { statedFacts } from "./stated-facts.js";
import { type Verdict, VerdictContext } from "./verdict.js";

/** A call that somebody has to be asked about. */
export interface AskedCall {
  readonly context: VerdictContext;
  /** What the tool's function would receive. */
  readonly input: unknown;
  readonly verdict: Extract<Verdict, { kind: "ask" }>;
}

/** A call that has started and waits for answers. */
export interface WaitingCall {
  readonly call: FunctionCallContent;
  readonly tool: FunctionTool;
  readonly pause: ToolPause;
}

/** What all requests of one pause have in common. */
export interface PauseTerms {
  readonly run: Run;
  readonly settings: ApprovalSettings;
  /** Ids of the calls that wait together. */
  readonly batch: readonly string[];
  /** Ids of calls beside that could not run. */
  readonly refused: readonly string[];
  /** All calls of the messages that hold them. */
  readonly calls: readonly FunctionCallContent[];
}

/** What a pause puts into the log. */
export interface PauseContents {
  readonly requests: readonly FunctionApprovalRequestContent[];
  readonly paused: readonly PausedCallContent[];
}

/** The questions of one pause: put into words, with what a page needs, and signed as one. */
export async function makeRequests(
  asked: readonly AskedCall[],
  waiting: readonly WaitingCall[],
  terms: PauseTerms,
): Promise<PauseContents> {
  const own = await Promise.all(asked.map((call) => requestFor(call, terms)));
  const paused = await Promise.all(waiting.map(stageOf));
  const passedUp = waiting.flatMap((call) => requestsInside(call, terms));
  const [first, ...others] = [...own, ...passedUp];
  const requests = first
    ? [
        { ...first, ...besideOf(asked, waiting, terms), ...refusedOf(terms), batch: terms.batch },
        ...others,
      ]
    : [];
  const { keys } = terms.settings;
  if (keys === undefined) return { requests, paused };
  const signature = await signPause(keys, { requests, calls: terms.calls, paused });
  return { requests: requests.map((request) => ({ ...request, signature })), paused };
}

async function requestFor(
  { context, input, verdict }: AskedCall,
  terms: PauseTerms,
): Promise<FunctionApprovalRequestContent> {
  const { call, tool } = context;
  const { reason, violation } = verdict;
  const additionalProperties = {
    ...verdict.additionalProperties,
    ...(await statedFacts(VerdictContext.partsOf(context))),
  };
  const summary = verdict.summary ?? (await describe(tool, input, context));
  const expiresAt = expiryOf(terms);
  return {
    type: "function_approval_request",
    requestId: terms.run.newId("request"),
    call,
    ...effectiveOf(context, input, verdict),
    tool: await requestedTool(tool),
    ...(reason !== undefined && { reason }),
    ...(summary !== undefined && { summary }),
    ...(violation !== undefined && { violation }),
    ...editableOf(tool),
    ...(expiresAt !== undefined && { expiresAt }),
    spent: terms.run.budget.spent,
    ...(Object.keys(additionalProperties).length > 0 && {
      additionalProperties: asJson(additionalProperties),
    }),
  };
}

/** The questions of a run inside a call, as they look from out here. */
function requestsInside(
  { call, tool, pause }: WaitingCall,
  terms: PauseTerms,
): readonly FunctionApprovalRequestContent[] {
  const step = { callId: call.callId, name: tool.name };
  const expiresAt = expiryOf(terms);
  return pause.requests.map(
    ({ signature: _, batch: _batch, beside: _beside, refused: _refused, ...request }) => ({
      ...request,
      ...(request.expiresAt === undefined && expiresAt !== undefined && { expiresAt }),
      path: [step, ...(request.path ?? [])],
      spent: terms.run.budget.spent,
    }),
  );
}

async function stageOf({ call, tool, pause }: WaitingCall): Promise<PausedCallContent> {
  const { hash } = await requestedTool(tool);
  const requestIds = pause.requests.map((request) => request.requestId);
  return { type: "paused_call", callId: call.callId, requestIds, hash, state: pause.state };
}

/** The calls that run with those that are asked about; those of a run inside stand in its own requests. */
function besideOf(
  asked: readonly AskedCall[],
  waiting: readonly WaitingCall[],
  { batch, calls }: PauseTerms,
): Pick<FunctionApprovalRequestContent, "beside"> {
  const ids = new Set(batch);
  for (const { call } of [...asked.map(({ context }) => context), ...waiting]) {
    ids.delete(call.callId);
  }
  const inside = waiting.flatMap(({ pause }) =>
    pause.requests.flatMap(({ beside = [] }) => beside),
  );
  const beside = [...calls.filter(({ callId }) => ids.has(callId)), ...inside];
  return beside.length > 0 ? { beside } : {};
}

function refusedOf({ refused }: PauseTerms): Pick<FunctionApprovalRequestContent, "refused"> {
  return refused.length > 0 ? { refused } : {};
}

/** What the tool would get, where that is other JSON than what the model wrote. */
function effectiveOf(
  { tool, call, arguments: validated }: ApprovalContext,
  input: unknown,
  verdict: AskedCall["verdict"],
): Pick<FunctionApprovalRequestContent, "effective"> {
  // What a Standard Schema put out need not be JSON.
  const derived = tool.schema === undefined && isJsonObject(input) ? input : validated;
  const effective = verdict.effective ? asJson(verdict.effective) : copyJson(derived);
  return sameJson(effective, call.arguments) ? {} : { effective };
}

/** What a handler wrote, as it will be read back: else its signature would not hold after a restart. */
function asJson(value: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

/** A request that no session remembers, or that may be taken out of it, must not stay open for ever. */
function expiryOf({ run, settings }: PauseTerms): number | undefined {
  const forgettable = settings.keys === undefined && rememberingSession(run) !== undefined;
  const { expiresInMs = forgettable ? undefined : defaultExpiryMs } = settings;
  return expiresInMs === undefined ? undefined : run.now() + expiresInMs;
}

function editableOf({ editable }: FunctionTool): Pick<FunctionApprovalRequestContent, "editable"> {
  if (editable === true) return { editable };
  return Array.isArray(editable) && editable.length > 0 ? { editable } : {};
}

async function describe(
  tool: FunctionTool,
  input: unknown,
  context: ApprovalContext,
): Promise<string | undefined> {
  if (tool.describeCall === undefined) return undefined;
  try {
    const described: unknown = tool.describeCall(input, context);
    const text = isThenable(described) ? await described : described;
    if (typeof text === "string" && text.trim() !== "") return text;
    throw new TypeError("describeCall gave no text.");
  } catch (error) {
    context.run.notice(
      "describe_call_failed",
      `describeCall of the tool "${tool.name}" failed: the request shows the arguments alone.`,
      error,
    );
    return undefined;
  }
}
