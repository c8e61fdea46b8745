import { StructuredOutputError } from "../errors/run-errors.js";
import { type Message, textOf } from "../messages/message.js";
import type { FinishReason } from "../messages/update.js";
import { isThenable } from "../onion/is-thenable.js";
import { compiledChecks } from "../tools/compiled-schema.js";
import type { SchemaInput } from "../tools/schema.js";
import { isStandardSchema } from "../tools/standard-schema.js";
import type { GivenAnswer, ReadAnswer } from "../tools/structured-answer.js";
import { type ResponseFormat, responseSchema, type ValueOf } from "./response-format.js";

/** What of a response its value is read from. */
export interface Answer {
  readonly messages: readonly Message[];
  readonly finishReason?: FinishReason;
  /** How the run ended, where it was one. */
  readonly outcome?: string;
}

/** Reads the value of an answer, without waiting. */
export type ValueReader = (answer: Answer) => unknown;

/**
 * The value of an answer that was asked for with this format. An agent's response has it as `value`;
 * this is for bare chat clients, and for schemas that are checked asynchronously.
 *
 * @throws StructuredOutputError when there is none, or it does not fit the schema.
 */
export async function readValue<const Schema extends SchemaInput>(
  answer: Answer,
  format: ResponseFormat<Schema>,
): Promise<ValueOf<Schema>> {
  const read = await readerOf(format);
  const given = givenAnswer(answer);
  return valueIn(await read(given), given) as ValueOf<Schema>;
}

/**
 * What reads the values of a format, ready to be used without waiting. Not kept: another validator may
 * be set.
 */
export async function loadReader(format: ResponseFormat): Promise<ValueReader> {
  const read = await readerOf(format);
  return (answer) => {
    const given = givenAnswer(answer);
    const found = read(given);
    if (!isThenable(found)) return valueIn(found, given);
    found.then(undefined, () => {});
    const message =
      "The schema is checked asynchronously: write `await readValue(response, responseFormat)`.";
    return valueIn({ code: "asynchronous_schema", message }, given);
  };
}

async function readerOf(format: ResponseFormat) {
  const { name = "response", schema } = format;
  const parameters = responseSchema(format);
  const { compiled, checks } = await compiledChecks(parameters);
  const checkable = { name, parameters, ...(isStandardSchema(schema) && { schema }) };
  return (answer: GivenAnswer) => checks.readAnswer(answer, { checkable, compiled });
}

function givenAnswer({ messages, finishReason, outcome }: Answer): GivenAnswer {
  const last = messages.at(-1);
  const message = last?.role === "assistant" ? last : { contents: [] };
  return { contents: message.contents, text: textOf(message), finishReason, outcome };
}

function valueIn(found: ReadAnswer, { text }: GivenAnswer): unknown {
  if (found.code === undefined) return found.value;
  const { code, message, cause } = found;
  throw new StructuredOutputError(code, message, text, cause === undefined ? {} : { cause });
}
