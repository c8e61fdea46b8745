import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";

/** Keywords whose value is a schema. */
const single = new Set([
  "items",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
  "contentSchema",
]);

/** Keywords whose value is a list of schemas. */
const lists = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]);

/** Keywords whose value has a schema under each name. */
const maps = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);

/** Where a schema stands inside the one around it: its keyword, and its name or number there. */
export type SchemaSteps = readonly [keyword: string] | readonly [keyword: string, key: string];

/** Calls back for every schema directly inside one. Data (`const`, `default`, …) is no schema. */
export function forEachSubschema(
  schema: JsonObject,
  visit: (member: JsonValue, steps: SchemaSteps) => void,
): void {
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    if (value === undefined) continue;
    if (Array.isArray(value)) {
      if (lists.has(keyword)) visitMembers(keyword, value, visit);
    } else if (single.has(keyword)) visit(value, [keyword]);
    else if (maps.has(keyword) && isJsonObject(value)) visitMembers(keyword, value, visit);
  }
}

function visitMembers(
  keyword: string,
  members: readonly JsonValue[] | JsonObject,
  visit: (member: JsonValue, steps: SchemaSteps) => void,
): void {
  for (const [key, member] of Object.entries<JsonValue>(members)) {
    // A list under `dependencies` holds names of properties.
    if (!Array.isArray(member)) visit(member, [keyword, key]);
  }
}
