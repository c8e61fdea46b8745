import {
  type ChatClient,
  ConfigurationError,
  type FunctionInvocationContext,
  type FunctionTool,
  type JsonObject,
  StructuredOutputError,
  type ToolResult,
  tool,
  toolResult,
} from "@tunic/core";
import { audit, type FlowRun, flowOf } from "../flow/flow-run.js";
import { spendOutcome } from "../flow/outcome-bit.js";
import { outcomeLabel } from "../flow/outcome-label.js";
import type { ContentLabel } from "../labels/content-label.js";
import { VariableLimitError } from "../variables/variable-store.js";
import { askedVariables } from "./asked-variables.js";
import { noSuchVariable } from "./inspect-variable.js";
import { asOwnTool } from "./own-tools.js";
import { schemaProblem } from "./plain-schema.js";
import {
  type AnswerOrigin,
  answerOrigin,
  bitsIn,
  kept,
  withCapacity,
} from "./quarantine-answer.js";
import { answerOf } from "./quarantine-question.js";
import { asWrapped } from "./wrap-tool.js";

interface QuarantineArguments {
  readonly prompt: string;
  readonly refs: readonly string[];
  readonly schema?: JsonObject;
}

/**
 * `quarantined_llm`: asks a model that has no tools and no history about hidden values. Whatever that model
 * is talked into, it can only fill in a value of the schema; the value is hidden again, labelled with the
 * join of what it was made of, and with the bits that the schema lets it hold.
 *
 * @param client The model. It may be the agent's own: each question stands alone.
 */
export function quarantinedLlm(client: ChatClient): FunctionTool {
  return asOwnTool(
    asWrapped(
      tool({
        name: "quarantined_llm",
        description:
          "Asks an isolated model about hidden values. Gives a reference to its answer. Say with `schema` what form the answer has: true or false, a choice and a number in a range can be used most freely.",
        parameters: {
          type: "object",
          properties: {
            prompt: { type: "string" },
            refs: {
              type: "array",
              items: { type: "string" },
              minItems: 1,
              maxItems: 100,
              description: "Such as vN or vN.body.",
            },
            schema: { type: "object", description: "JSON Schema of the answer. Default: text." },
          },
          required: ["prompt", "refs"],
          additionalProperties: false,
        },
        readOnly: true,
        execute: (input, context) => ask(client, input as QuarantineArguments, context),
      }) as FunctionTool,
    ),
  );
}

async function ask(
  client: ChatClient,
  { prompt, refs, schema }: QuarantineArguments,
  context: FunctionInvocationContext,
): Promise<ToolResult> {
  const { callId } = context.call;
  const flow = flowOf(context.run);
  const record = flow?.calls.get(callId);
  if (flow === undefined || record === undefined) return noSuchVariable();
  const { callLabel } = record;
  flow.ownResults.set(callId, callLabel);
  const asked = askedVariables(flow, record, refs);
  const { found } = asked;
  // Whoever decided on the question has a hand in the answer, and may say in it what it has read.
  const label = flow.settings.lattice.join(callLabel, asked.label);
  if (found === undefined) {
    const told = outcomeLabel(flow, callId, { tool: { key: "quarantined_llm" }, callLabel }, label);
    flow.ownResults.set(callId, told);
    return noSuchVariable();
  }
  const problem = schema && schemaProblem(schema);
  if (problem !== undefined) return badSchema(problem);
  const { capacity: _, ...whole } = label;
  const made = withCapacity(flow, whole, bitsIn(flow, callLabel, found));
  const origin = answerOrigin(callId, found);
  try {
    const value = await answerOf(client, prompt, found, schema, context);
    audit(flow, "quarantine", { callId, refs, label: { ...label } as never });
    return toolResult({ contents: JSON.stringify(kept(flow, origin, value, made, schema)) });
  } catch (error) {
    if (context.signal.aborted) throw error;
    return failureOf(error, flow, origin, made, schema, context);
  }
}

/** In words of our own: what a service or validator says of a failure may quote what is hidden. */
function failureOf(
  error: unknown,
  flow: FlowRun,
  origin: AnswerOrigin,
  label: ContentLabel,
  schema: JsonObject | undefined,
  { run }: FunctionInvocationContext,
): ToolResult {
  if (error instanceof ConfigurationError && schema !== undefined)
    return badSchema("it is no JSON Schema");
  if (error instanceof VariableLimitError)
    return failed("flow_limit", "the answer does not fit in what this conversation may hide.");
  if (!(error instanceof StructuredOutputError))
    run.notice("flow_quarantine_failed", "The isolated model has failed.", error);
  return unanswered(flow, origin, label, schema);
}

function badSchema(problem: string): ToolResult {
  return failed("bad_schema", `\`schema\` cannot be used: ${problem}. Write a simple, narrow one.`);
}

/** That there is no answer says something of the data, too. */
function unanswered(
  flow: FlowRun,
  origin: AnswerOrigin,
  label: ContentLabel,
  schema: JsonObject | undefined,
): ToolResult {
  const untrusted = label.integrity === "untrusted";
  if (!untrusted || spendOutcome(flow, origin.callId, "quarantined_llm")) {
    return failed("bad_answer", "the isolated model gave no answer of that form.");
  }
  return toolResult({ contents: JSON.stringify(kept(flow, origin, null, label, schema)) });
}

function failed(code: string, message: string): ToolResult {
  return toolResult({
    contents: `Error: ${message}`,
    error: { code, retryable: false, message },
  });
}
