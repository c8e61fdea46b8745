/**
 * Reads a value out of an answer. Loaded with `import()` by the first run that has a response format:
 * nothing that is loaded at once may import it.
 */
import {
  StructuredOutputError,
  type StructuredOutputErrorCode,
} from "../errors/structured-output-error.js";
import type { Content } from "../messages/content.js";
import { isJsonObject, type JsonValue } from "../messages/json.js";
import { type Message, textOf } from "../messages/message.js";
import type { CheckedArguments } from "../tools/checked-arguments.js";
import { compileSchema } from "../tools/compiled-schema.js";
import { shortJson } from "../tools/schema-words.js";
import { isStandardSchema } from "../tools/standard-schema.js";
import type { Answer, ValueReader } from "./answer.js";
import { type ResponseFormat, responseSchema } from "./response-format.js";

/** The value of an answer; waits for schemas that are checked asynchronously, too. */
export async function valueIn(answer: Answer, format: ResponseFormat): Promise<unknown> {
  const check = await checkOf(format);
  return accepted(await check(jsonIn(answer)), answer);
}

/**
 * A reader that need not wait: what it needs has been loaded and compiled. Not kept: another validator
 * may be set, and compiled schemas are kept by those who compile them.
 */
export async function valueReader(format: ResponseFormat): Promise<ValueReader> {
  const check = await checkOf(format);
  return (answer) => {
    const checked = check(jsonIn(answer));
    if (!("then" in checked)) return accepted(checked, answer);
    checked.catch(() => {});
    throw failure(
      "asynchronous_schema",
      "The schema is checked asynchronously: write `await readValue(response, responseFormat)`.",
      answer,
    );
  };
}

type Check = (value: JsonValue) => CheckedArguments | Promise<CheckedArguments>;

async function checkOf(format: ResponseFormat): Promise<Check> {
  const { schema } = format;
  const parameters = responseSchema(format);
  const compiled = await compileSchema(parameters);
  const checkable = {
    name: format.name ?? "response",
    parameters,
    ...(isStandardSchema(schema) && { schema }),
  };
  return (value) => {
    // Said here, not by what checks arguments: its words are about a tool, and for a model.
    if (compiled.broken) {
      const { reason, cause } = compiled.broken;
      return { ok: false, message: `the schema itself does not compile: ${reason}`, cause };
    }
    if (isJsonObject(value)) return compiled.check(checkable, value);
    return { ok: false, message: `it must be a JSON object; got ${shortJson(value)}.` };
  };
}

function accepted(checked: CheckedArguments, answer: Answer): unknown {
  if (checked.ok) return checked.input;
  throw failure(
    "invalid_value",
    `The answer does not fit the schema of the responseFormat: ${checked.message}`,
    answer,
    checked.cause,
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
