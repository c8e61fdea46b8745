import type { JsonObject } from "@tunic/core";
import { StrictConversion } from "./strict-conversion.js";
import { checkLimits } from "./strict-limits.js";
import { StrictRefusal } from "./strict-refusal.js";

/** A schema in strict form, or why it has none. */
export type StrictSchema =
  | { readonly schema: JsonObject; readonly reason?: undefined }
  | { readonly schema?: undefined; readonly reason: string };

/** Schemas never change, so what one comes to holds as long as it lives. */
const converted = new WeakMap<JsonObject, StrictSchema>();

/**
 * A schema in the form that OpenAI can hold a model to exactly, on a copy: every object is closed
 * and requires all of its members, and one that was optional takes null, which stands for "not set".
 * What is lost (lengths, formats that the service does not know, …) is written into the description
 * and still checked where the answer is read. The same schema gives the same object every time.
 *
 * By "Supported schemas" in OpenAI's guide to Structured Outputs
 * (https://platform.openai.com/docs/guides/structured-outputs).
 */
export function toStrictSchema(schema: JsonObject): StrictSchema {
  const known = converted.get(schema);
  if (known) return known;
  const made = convert(schema);
  converted.set(schema, made);
  return made;
}

function convert(schema: JsonObject): StrictSchema {
  try {
    const strict = new StrictConversion(schema).convert();
    checkLimits(strict);
    return { schema: strict };
  } catch (error) {
    if (error instanceof StrictRefusal) return { reason: error.message };
    throw error;
  }
}
