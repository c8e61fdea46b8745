import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";

/**
 * How many bits a value of a schema can hold, at most: what an attacker who decides on the value can say.
 * Undefined where there is no bound, as with free text.
 */
export function schemaCapacity(schema: JsonValue): number | undefined {
  if (!isJsonObject(schema)) return undefined;
  // What stands beside a reference may mean nothing, and `nullable` lets one value more in.
  if ("$ref" in schema || "$dynamicRef" in schema || "nullable" in schema) return undefined;
  if ("const" in schema) return 0;
  const { enum: values, type } = schema;
  if (Array.isArray(values)) return Math.log2(Math.max(1, values.length));
  if (type === "null") return 0;
  if (type === "boolean") return 1;
  if (type === "integer") return rangeOf(schema["minimum"], schema["maximum"]);
  if (type === "object") return membersOf(schema);
  return undefined;
}

function rangeOf(least: unknown, most: unknown): number | undefined {
  if (typeof least !== "number" || typeof most !== "number" || most < least) return undefined;
  const bits = Math.log2(Math.max(1, Math.floor(most) - Math.ceil(least) + 1));
  return Number.isFinite(bits) ? bits : undefined;
}

function membersOf(schema: { readonly [key: string]: JsonValue }): number | undefined {
  const { properties, required } = schema;
  if (!isClosed(schema) || !isJsonObject(properties)) return undefined;
  let bits = 0;
  for (const [name, member] of Object.entries(properties)) {
    const own = schemaCapacity(member);
    if (own === undefined) return undefined;
    // A member that may be left out says one thing more.
    const sure = Array.isArray(required) && required.includes(name);
    bits += sure ? own : Math.log2(2 ** own + 1);
  }
  return bits;
}

/** Whether an object of a schema has no members but those of `properties`. */
function isClosed(schema: { readonly [key: string]: JsonValue }): boolean {
  return schema["additionalProperties"] === false && !("patternProperties" in schema);
}

/** The members of an object schema that has no others, and each of which has to be there; else undefined. */
export function fixedMembers(schema: JsonObject): JsonObject | undefined {
  const { type, properties, required } = schema;
  if (type !== "object" || !isClosed(schema) || !isJsonObject(properties)) return undefined;
  const all = Object.keys(properties).every(
    (name) => Array.isArray(required) && required.includes(name),
  );
  return all ? (properties as JsonObject) : undefined;
}
