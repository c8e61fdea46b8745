import {
  type AgentContext,
  type AgentResponse,
  type ChatContext,
  type ChatResponse,
  ConfigurationError,
  type FunctionInvocationContext,
  isJsonObject,
  type Middleware,
  MiddlewareTermination,
  type Next,
  type Tool,
  type ToolResult,
} from "@tunic/core";
import { guardAnswer } from "../answer/guard-answer.js";
import type { ContentLabel } from "../labels/content-label.js";
import { checkPolicy } from "../policy/check-policy.js";
import type { CompiledPolicy } from "../policy/compile-policy.js";
import { originalOf, wrapTools } from "../tools/wrap-tool.js";
import { answerLabel, stampAnswer } from "./answer-label.js";
import { checkHalves } from "./flow-halves.js";
import { own, put } from "./flow-memory.js";
import { type FlowOptions, type FlowSettings, flowSettings } from "./flow-options.js";
import { audit, beginFlow, type FlowRun, flowOf } from "./flow-run.js";
import { labelResult } from "./label-result.js";
import { flowOfTool } from "./read-call.js";
import { recordHeld, requestLabel } from "./request-label.js";
import { requestView, sentMessages } from "./request-view.js";
import { stamp } from "./result-terms.js";

/**
 * Follows data: labels everything that a model can read, its answers, its calls and their results, and
 * keeps untrusted parts of results out of its sight. It decides nothing: that is `policyEnforcement`,
 * made with the same options object. {@link secureAgent} makes both. Takes the innermost seats among agent and
 * chat handlers and the outermost among function handlers. The propagation of FIDES (arXiv 2505.23643, section 4),
 * with a label for each message instead of one for the conversation.
 *
 * @throws ConfigurationError for options or a policy that do not fit, saying what to write.
 */
export function labelTracking(options: FlowOptions): Middleware {
  return trackingBy(flowSettings(options, "labelTracking"), false);
}

/** @internal */
export function trackingBy(settings: FlowSettings, needsSession: boolean): Middleware {
  return {
    name: "label-tracking",
    // Where nothing stands further in: it sees what is sent, and all tools; and every result, whoever made it.
    placement: { agent: "innermost", chat: "innermost", function: "outermost" },
    agent: (context, next) => trackRun(settings, needsSession, context, next),
    chat: (context, next) => trackRequest(settings, needsSession, context, next),
    function: trackCall,
  };
}

async function trackRun(
  settings: FlowSettings,
  needsSession: boolean,
  context: AgentContext,
  next: Next<AgentResponse>,
): Promise<AgentResponse> {
  const flow = beginFlow(context.run, settings, needsSession);
  flow.halves.add("tracking");
  checkHalves(flow.halves);
  const { tools } = context.options;
  if (tools !== undefined) {
    checkGuards(settings, tools);
    context.options = { ...context.options, tools: wrapTools(tools) };
  }
  try {
    return await next();
  } finally {
    reportUp(flow);
  }
}

/** Lists of tools whose arguments were looked at, by policy. */
const guarded = new WeakMap<CompiledPolicy, WeakSet<readonly Tool[]>>();

/** A guard of an argument that is misspelt would be none, wherever the tool was given. */
function checkGuards({ policy }: FlowSettings, tools: readonly Tool[]): void {
  const known = guarded.get(policy) ?? new WeakSet();
  guarded.set(policy, known);
  if (known.has(tools)) return;
  const own = tools.map((tool) => (tool.type === "function" ? originalOf(tool) : tool));
  const wrong = checkPolicy(policy.source, own).find(({ code }) => code === "unknown_argument");
  if (wrong !== undefined) throw new ConfigurationError("flow_policy", wrong.message);
  known.add(tools);
}

/** What a run has come to know, the call that it works for knows. */
function reportUp({ run, answer, shown, settings: { lattice } }: FlowRun): void {
  const { parent, parentCallId } = run;
  const around = parent && flowOf(parent);
  if (around === undefined || parentCallId === undefined) return;
  const before = around.childLabels.get(parentCallId) ?? lattice.bottom;
  around.childLabels.set(parentCallId, lattice.joinAll([before, answer, shown]));
}

async function trackRequest(
  settings: FlowSettings,
  needsSession: boolean,
  context: ChatContext,
  next: Next<ChatResponse>,
): Promise<ChatResponse> {
  const flow = beginFlow(context.run, settings, needsSession);
  flow.halves.add("tracking");
  checkHalves(flow.halves);
  const view = requestView(flow, context.messages);
  context.messages = sentMessages(view, context.messages);
  const label = requestLabel(flow, view.label, context.options);
  const answer = answerLabel(flow, label, context.options);
  context.transformUpdates(stampAnswer(flow, answer));
  context.transformUpdates(guardAnswer(flow, answer, context.options));
  try {
    const response = await next();
    noteCalls(flow, response, answer.current);
    recordHeld(flow, [response.conversationId, response.responseId], answer.current);
    return response;
  } catch (error) {
    // What was sent may be kept there, whatever has failed then.
    recordHeld(flow, [context.options.conversationId], answer.current);
    throw error;
  } finally {
    flow.answer = answer.current;
    audit(flow, "label", { answer: context.iteration, label: { ...flow.answer } as never });
  }
}

/** Calls that the model itself has made know what it knew. */
function noteCalls(flow: FlowRun, { messages }: ChatResponse, label: ContentLabel): void {
  for (const { contents } of messages) {
    for (const content of contents) {
      if (content.type === "function_call") flow.callLabels.set(content.callId, label);
    }
  }
}

async function trackCall(
  context: FunctionInvocationContext,
  next: Next<ToolResult>,
): Promise<ToolResult> {
  const { callId } = context.call;
  const flow = flowOf(context.run);
  if (flow === undefined || !flow.calls.has(callId)) {
    throw new ConfigurationError(
      "flow_halves",
      `The call "${callId}" was not judged: policyEnforcement has to stand in the same agent as labelTracking.`,
    );
  }
  try {
    return labelled(flow, context, await next());
  } catch (error) {
    if (!(error instanceof MiddlewareTermination) || !isResult(error.result)) throw error;
    // A call that pauses has no result yet.
    if ("requests" in error) throw error;
    throw new MiddlewareTermination(labelled(flow, context, error.result), error.endedBy);
  } finally {
    wrapAdded(context);
  }
}

function labelled(
  flow: FlowRun,
  { call, tool }: FunctionInvocationContext,
  result: ToolResult,
): ToolResult {
  const { callId } = call;
  const record = flow.calls.get(callId);
  if (record === undefined) throw new TypeError(`There is no record of the call "${callId}".`);
  closeChild(flow, callId);
  if (own(flow.memory.permits, callId) !== undefined) delete flow.memory.permits[callId];
  const ownLabel = flow.ownResults.get(callId);
  if (ownLabel === undefined) {
    return labelResult(flow, callId, record, flowOfTool(flow, tool), result);
  }
  flow.results.set(callId, ownLabel);
  return {
    ...result,
    contents: result.contents.map((content) => stamp(flow, content, ownLabel, result)),
  };
}

/** Of a run inside a call that has its result only what was decided is of interest any more. */
function closeChild({ memory }: FlowRun, callId: string): void {
  const child = own(memory.children, callId);
  if (child === undefined) return;
  for (const [id, decision] of Object.entries(child.decisions)) {
    put(memory.decisions, `${callId}/${id}`, decision);
  }
  delete memory.children[callId];
}

function isResult(value: unknown): value is ToolResult {
  return isJsonObject(value) && Array.isArray(value["contents"]);
}

/** Tools that were added while the run goes on get places for references, too. */
function wrapAdded(context: FunctionInvocationContext): void {
  const { tools } = context;
  const all = wrapTools(tools);
  if (all === tools) return;
  const raw = tools.filter((tool) => !all.includes(tool));
  context.removeTools(raw);
  context.addTools(all);
}
