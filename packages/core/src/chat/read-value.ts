import type { SchemaInput } from "../tools/schema.js";
import type { Answer, ValueReader } from "./answer.js";
import type { ResponseFormat, ValueOf } from "./response-format.js";

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
  const { valueIn } = await import("./structured-output.js");
  return (await valueIn(answer, format)) as ValueOf<Schema>;
}

/** What reads the values of a format, ready to be used without waiting. */
export async function loadReader(format: ResponseFormat): Promise<ValueReader> {
  const { valueReader } = await import("./structured-output.js");
  return valueReader(format);
}
