import { type AgentSession, isJsonObject, type JsonObject, type Message } from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import { type CompiledPolicy, compilePolicy, unknownTool } from "../policy/compile-policy.js";
import type { FlowPolicy } from "../policy/flow-policy.js";
import { judgeCall } from "../policy/judge-call.js";
import { type NamedValues, namedValues } from "../policy/named-values.js";
import { type ContentVariableStore, variableStore } from "../variables/variable-store.js";
import { remediesFor } from "./decisions.js";
import type { FlowDecision } from "./flow-decision.js";
import { type FlowMemory, flowMemoryIn, newFlowMemory, own, readVariables } from "./flow-memory.js";
import { readLeaves } from "./read-call.js";

/** The calls of a conversation, with everything that a policy judges them by. Plain JSON; it holds contents. */
export interface FlowTrace {
  readonly version: 1;
  /** In the order of the log. */
  readonly calls: readonly TracedCall[];
  /** What was hidden, with labels and origins, by id. */
  readonly variables: FlowMemory["variables"];
  /** What the user has written. */
  readonly userTexts: readonly string[];
}

/** A call as the model made it. */
export interface TracedCall {
  /** As in the log. */
  readonly callId: string;
  /** As a policy calls the tool. */
  readonly tool: string;
  /** As the model wrote them, with references. */
  readonly arguments: JsonObject;
  /** Of the request that produced it. */
  readonly label: ContentLabel;
}

/** Everything in a session that a policy would judge, for {@link simulate}. */
export function flowTrace(session: AgentSession): FlowTrace {
  const memory = flowMemoryIn(session);
  return {
    version: 1,
    calls: session.messages.flatMap((message) => callsOf(message, memory)),
    variables: memory.variables,
    userTexts: session.messages.flatMap(userTexts),
  };
}

function callsOf(message: Message, memory: FlowMemory): readonly TracedCall[] {
  const label = own(memory.messages, message.id) ?? message.additionalProperties?.["label"];
  return message.contents.flatMap((content): readonly TracedCall[] => {
    if (content.type !== "function_call" || !isJsonObject(content.arguments)) return [];
    const { callId, name } = content;
    // A call that never got so far as to be judged has nothing to be judged again.
    const decision = own(memory.decisions, callId);
    const tool = decision?.tool ?? name;
    return [
      { callId, tool, arguments: content.arguments, label: label as unknown as ContentLabel },
    ];
  });
}

function userTexts({ role, contents, additionalProperties }: Message): readonly string[] {
  if (role !== "user" || additionalProperties?.["label"] !== undefined) return [];
  return contents.flatMap((content) =>
    content.type === "text" && content.additionalProperties?.["label"] === undefined
      ? [content.text]
      : [],
  );
}

/**
 * What a policy would say to the calls of a trace, in their order: `run`, or `deny` where it would be
 * denied or asked about. The tools of this package are always run. Labels are those that the results had then,
 * whatever the new policy says of results; the mode `strict` is not simulated.
 *
 * @throws ConfigurationError `flow_policy` for a policy that is none.
 */
export function simulate(trace: FlowTrace, policy: FlowPolicy): readonly FlowDecision[] {
  const compiled = compilePolicy(policy);
  const variables = readVariables(trace.variables);
  const terms: TraceTerms = {
    compiled,
    variables: variableStore({ ...newFlowMemory(), variables }),
    named: namedValues(trace.userTexts),
  };
  let bits = 0;
  return trace.calls.map((call) => {
    const decision = decideOn(call, terms, bits);
    if (decision.verdict === "run")
      bits += decision.endorsed.reduce((sum, each) => sum + each.bits, 0);
    return decision;
  });
}

const free: ReadonlySet<string> = new Set(["inspect_variable", "quarantined_llm"]);

/** What the calls of a trace are judged by. */
interface TraceTerms {
  readonly compiled: CompiledPolicy;
  readonly variables: ContentVariableStore;
  readonly named: NamedValues;
}

function decideOn(
  { callId, tool, arguments: args, label }: TracedCall,
  { compiled, variables, named }: TraceTerms,
  bits: number,
): FlowDecision {
  const { lattice } = compiled;
  const callLabel = lattice.read(label) ?? lattice.top;
  const flow = { settings: { lattice }, variables };
  const flows = compiled.tools.get(tool) ?? unknownTool(tool, lattice);
  const judged =
    free.has(tool) && !flows.known
      ? { violations: [], endorsements: [] }
      : judgeCall(compiled, {
          tool: flows,
          callLabel,
          leaves: readLeaves(flow, flows, args, callLabel),
          named,
          bitsLeft: compiled.endorseBits - bits,
          strict: false,
        });
  return {
    callId,
    tool,
    verdict: judged.violations.length > 0 ? "deny" : "run",
    callLabel: { ...callLabel } as unknown as JsonObject,
    violations: judged.violations,
    remedies: remediesFor(judged.violations.map(({ rule }) => rule)),
    endorsed: judged.endorsements.map(({ at, bits: own }) => ({ at, bits: own })),
    policy: compiled.hash,
  };
}
