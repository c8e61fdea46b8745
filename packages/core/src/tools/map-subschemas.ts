import type { JsonObject, JsonValue } from "../messages/json.js";
import { forEachSubschema } from "./subschemas.js";

/** A copy of a schema in which every schema directly inside it is replaced. */
export function mapSubschemas(
  schema: JsonObject,
  replace: (member: JsonValue) => JsonValue,
): Record<string, JsonValue> {
  const copy: Record<string, JsonValue> = { ...schema };
  forEachSubschema(schema, (member, [keyword, key]) => {
    if (key === undefined) {
      copy[keyword] = replace(member);
      return;
    }
    if (copy[keyword] === schema[keyword]) copy[keyword] = shallowCopy(schema[keyword]);
    // Defined, not assigned: a property may be named "__proto__".
    Object.defineProperty(copy[keyword], key, {
      value: replace(member),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  });
  return copy;
}

function shallowCopy(value: JsonValue | undefined): JsonValue {
  return Array.isArray(value) ? [...value] : { ...(value as JsonObject) };
}
