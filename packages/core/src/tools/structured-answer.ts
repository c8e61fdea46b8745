/** Reads values out of answers. Loaded with what checks arguments. */
import { StructuredOutputError, type StructuredOutputErrorCode } from "../errors/run-errors.js";
import type { Content } from "../messages/content.js";
import { isJsonObject, type JsonValue } from "../messages/json.js";
import { type Message, textOf } from "../messages/message.js";
import type { FinishReason } from "../messages/update.js";
import type { CheckableTool, CheckedArguments, CompiledSchema } from "./checked-arguments.js";
import { shortJson } from "./schema-words.js";

/** What of a response its value is read from. */
export interface Answer {
  readonly messages: readonly Message[];
  readonly finishReason?: FinishReason;
  /** How the run ended, where it was one. */
  readonly outcome?: string;
}

/** Reads the value of an answer, without waiting. */
export type ValueReader = (answer: Answer) => unknown;

/** What an answer is read by. */
export interface AnswerForm {
  /** The format's name and schemas, which are checked as those of a tool are. */
  readonly checkable: CheckableTool;
  readonly compiled: CompiledSchema;
}

/** The value of an answer; waits for schemas that are checked asynchronously, too. */
export async function valueIn(answer: Answer, form: AnswerForm): Promise<unknown> {
  return accepted(await checked(jsonIn(answer), form), answer);
}

/** A reader that need not wait: all that it needs is there. */
export function valueReader(form: AnswerForm): ValueReader {
  return (answer) => {
    const outcome = checked(jsonIn(answer), form);
    if (!("then" in outcome)) return accepted(outcome, answer);
    outcome.catch(() => {});
    throw failure(
      "asynchronous_schema",
      "The schema is checked asynchronously: write `await readValue(response, responseFormat)`.",
      answer,
    );
  };
}

function checked(
  value: JsonValue,
  { checkable, compiled }: AnswerForm,
): CheckedArguments | Promise<CheckedArguments> {
  // Said here, not by what checks arguments: its words are about a tool, and for a model.
  if (compiled.broken) {
    const { reason, cause } = compiled.broken;
    return { ok: false, message: `the schema itself does not compile: ${reason}`, cause };
  }
  if (isJsonObject(value)) return compiled.check(checkable, value);
  return { ok: false, message: `it must be a JSON object; got ${shortJson(value)}.` };
}

function accepted(outcome: CheckedArguments, answer: Answer): unknown {
  if (outcome.ok) return outcome.input;
  throw failure(
    "invalid_value",
    `The answer does not fit the schema of the responseFormat: ${outcome.message}`,
    answer,
    outcome.cause,
  );
}

function jsonIn(answer: Answer): JsonValue {
  const message = lastAnswer(answer.messages);
  const refused = message?.contents.find(isRefusal);
  if (refused) throw failure("refused", `The model refused: ${refused.message}`, answer);
  const text = textIn(answer).trim();
  if (text !== "") {
    const value = parsed(text) ?? parsed(lastBlock(message)) ?? parsed(fenced(text));
    if (value !== undefined) return value.json;
  }
  throw whyNoJson(answer, text);
}

function whyNoJson(answer: Answer, text: string): StructuredOutputError {
  const { finishReason, outcome } = answer;
  if (finishReason === "length") {
    return failure("cut_off", "The answer was cut at its token limit: raise maxTokens.", answer);
  }
  if (finishReason === "content_filter") {
    return failure("refused", "A filter of the service withheld the answer.", answer);
  }
  if (text !== "") return failure("not_json", "The answer is no JSON.", answer);
  const why = outcome === undefined || outcome === "completed" ? "" : ` The run is "${outcome}".`;
  return failure("no_answer", `There is no answer.${why}`, answer);
}

function failure(
  code: StructuredOutputErrorCode,
  message: string,
  answer: Answer,
  cause?: unknown,
): StructuredOutputError {
  const options = cause === undefined ? {} : { cause };
  return new StructuredOutputError(code, message, textIn(answer), options);
}

function lastAnswer(messages: readonly Message[]): Message | undefined {
  const last = messages.at(-1);
  return last?.role === "assistant" ? last : undefined;
}

function textIn({ messages }: Answer): string {
  const message = lastAnswer(messages);
  return message ? textOf(message) : "";
}

/** An emulated format puts its answer into a block of its own, behind what else the model said. */
function lastBlock(message: Message | undefined): string {
  const last = message?.contents.findLast((content) => content.type === "text");
  return last?.type === "text" ? last.text : "";
}

/** Models without a native format like to put JSON into a Markdown fence. */
function fenced(text: string): string {
  return /^```(?:json)?\s*\n([\s\S]*)\n```$/.exec(text)?.[1] ?? "";
}

function parsed(text: string): { readonly json: JsonValue } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function isRefusal(content: Content): content is Extract<Content, { type: "error" }> {
  return content.type === "error" && String(content.code).startsWith("refusal");
}
