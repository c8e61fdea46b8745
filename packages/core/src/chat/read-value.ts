import { compiledChecks } from "../tools/compiled-schema.js";
import type { SchemaInput } from "../tools/schema.js";
import { isStandardSchema } from "../tools/standard-schema.js";
import type { Answer, AnswerForm, ValueReader } from "../tools/structured-answer.js";
import { type ResponseFormat, responseSchema, type ValueOf } from "./response-format.js";

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
  const { form, valueIn } = await formOf(format);
  return (await valueIn(answer, form)) as ValueOf<Schema>;
}

/**
 * What reads the values of a format, ready to be used without waiting. Not kept: another validator may
 * be set.
 */
export async function loadReader(format: ResponseFormat): Promise<ValueReader> {
  const { form, valueReader } = await formOf(format);
  return valueReader(form);
}

async function formOf(format: ResponseFormat) {
  const { name = "response", schema } = format;
  const parameters = responseSchema(format);
  const { compiled, checks } = await compiledChecks(parameters);
  const { valueIn, valueReader } = checks;
  const checkable = { name, parameters, ...(isStandardSchema(schema) && { schema }) };
  const form: AnswerForm = { checkable, compiled };
  return { form, valueIn, valueReader };
}
