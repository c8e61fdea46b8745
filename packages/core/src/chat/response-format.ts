import type { JsonObject } from "../messages/json.js";
import { type ArgumentsOf, type SchemaInput, toJsonSchema } from "../tools/schema.js";

/** The form the answer must have. */
export interface ResponseFormat<Schema extends SchemaInput = SchemaInput> {
  readonly type: "json_schema";
  /** Letters, digits, `_` and `-`. Default `response`. */
  readonly name?: string | undefined;
  /** A TypeBox schema, a Standard Schema or a JSON Schema; of an object, as with tools. */
  readonly schema: Schema;
  /**
   * Whether the service must hold the schema exactly, where it can. Default: where the schema can be
   * said in the service's strict form. What comes back is checked in any case.
   */
  readonly strict?: boolean | undefined;
}

/** The type of `response.value` for a response format's schema. */
export type ValueOf<Schema extends SchemaInput> = [Schema] extends [never]
  ? unknown
  : SchemaInput extends Schema
    ? unknown
    : ArgumentsOf<Schema>;

const converted = new WeakMap<object, JsonObject>();

/**
 * The JSON Schema of a response format, for clients; the same object every time.
 *
 * @throws ConfigurationError as `tool()` does for `parameters`.
 */
export function responseSchema({ schema }: ResponseFormat): JsonObject {
  const known = converted.get(schema);
  if (known) return known;
  const made = toJsonSchema(schema, "schema of the responseFormat");
  converted.set(schema, made);
  return made;
}
