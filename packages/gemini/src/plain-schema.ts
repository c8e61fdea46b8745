import { ConfigurationError, isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import { bothOf } from "./both-schemas.js";
import { referenceTarget } from "./schema-reference.js";

/** A schema in the words that Gemini's JSON Schema has, and where something of it had to go. */
export interface PlainSchema {
  readonly schema: JsonObject;
  /** Pointers to where a schema would have held itself and was cut. */
  readonly cuts: readonly string[];
}

interface Reading {
  readonly root: JsonObject;
  /** Such as `Tool "lamp"`. */
  readonly what: string;
  readonly cuts: string[];
  /** How many schemas may still be written: references that branch out multiply. */
  left: number;
}

const mostSchemas = 5000;

/** Keywords that are said in other words, or that Gemini has no word for and the local check keeps. */
const gone: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "id", "$anchor", "$defs", "definitions", "$comment", "$vocabulary"],
  ...["$ref", "$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor"],
  ...["allOf", "oneOf", "const", "not", "if", "then", "else", "nullable"],
  ...["dependencies", "dependentRequired", "dependentSchemas", "patternProperties"],
  ...["propertyNames", "unevaluatedProperties", "unevaluatedItems", "additionalItems", "contains"],
  ...["minContains", "maxContains", "contentSchema", "contentEncoding", "contentMediaType"],
]);

/**
 * A schema without references and without what Gemini cannot read: `$ref` is replaced by what it leads
 * to, `allOf` becomes one schema, `oneOf` becomes `anyOf`, `const` an `enum` of one, a list of schemas
 * under `items` becomes `prefixItems`, and `required` names only properties that are there. Where a
 * schema holds itself it is cut: there stands an object of any form. Arguments and answers are checked
 * against the whole schema all the same. The schema that is given stays as it is.
 *
 * @throws ConfigurationError `invalid_schema` for a reference that leads nowhere.
 */
export function toPlainSchema(root: JsonObject, what: string): PlainSchema {
  const reading: Reading = { root, what, cuts: [], left: mostSchemas };
  const schema = plain(root, "", reading, new Set());
  return { schema, cuts: reading.cuts };
}

/** The schemas around the one that is read. */
type Around = ReadonlySet<JsonObject>;

function plain(value: JsonValue, path: string, reading: Reading, around: Around): JsonObject {
  if (!isJsonObject(value)) return {};
  if (reading.left-- <= 0) return cut(path, reading);
  const inside = new Set(around);
  const merged = merge(value, path, reading, inside);
  return merged === undefined ? cut(path, reading) : written(merged, path, reading, inside);
}

/** What stands in for a schema that would go on without an end. */
function cut(path: string, reading: Reading): JsonObject {
  reading.cuts.push(path);
  return { type: "object", description: "An object like the one around it." };
}

/** A schema with its references and the parts of its `allOf` in it; undefined where it holds itself. */
function merge(
  schema: JsonObject,
  path: string,
  reading: Reading,
  inside: Set<JsonObject>,
): JsonObject | undefined {
  if (inside.has(schema)) return undefined;
  inside.add(schema);
  let merged = schema;
  const reference = schema["$ref"] ?? schema["$dynamicRef"] ?? schema["$recursiveRef"];
  const parts = Array.isArray(schema["allOf"]) ? [...schema["allOf"]] : [];
  if (typeof reference === "string") parts.unshift(targetOf(reference, path, reading));
  for (const part of parts) {
    if (!isJsonObject(part)) continue;
    const whole = merge(part, path, reading, inside);
    if (whole === undefined) return undefined;
    merged = bothOf(merged, whole);
  }
  return merged;
}

function targetOf(reference: string, path: string, { root, what }: Reading): JsonValue {
  const target = referenceTarget(root, reference);
  if (target !== undefined) return target;
  throw new ConfigurationError(
    "invalid_schema",
    `${what}, at "${path || "/"}": "${reference}" leads nowhere in the schema. Put what it means under $defs and write "#/$defs/…".`,
  );
}

function written(schema: JsonObject, path: string, reading: Reading, inside: Around): JsonObject {
  const below = (value: JsonValue, step: string): JsonObject =>
    plain(value, `${path}/${step}`, reading, inside);
  const made: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (!gone.has(keyword)) made[keyword] = value;
  }
  if ("const" in schema) made["enum"] = [schema["const"] ?? null];
  const branches = [schema["anyOf"], schema["oneOf"]].find(isNonEmptyList);
  delete made["anyOf"];
  if (branches) made["anyOf"] = branches.map((each, at) => below(each, `anyOf/${at}`));
  if (schema["nullable"] === true) made["type"] = withNull(schema["type"]);
  writeProperties(made, schema, below);
  writeItems(made, schema, below);
  return made;
}

function isNonEmptyList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value) && value.length > 0;
}

function withNull(type: JsonValue | undefined): JsonValue {
  if (type === undefined) return ["null"];
  return Array.isArray(type) ? [...new Set([...type, "null"])] : [type, "null"];
}

type Below = (value: JsonValue, step: string) => JsonObject;

function writeProperties(made: Record<string, JsonValue>, schema: JsonObject, below: Below): void {
  const { properties, required, additionalProperties } = schema;
  const names = isJsonObject(properties)
    ? Object.keys(properties).filter((name) => properties[name] !== false)
    : [];
  if (isJsonObject(properties)) {
    made["properties"] = Object.fromEntries(
      names.map((name) => [name, below(properties[name] ?? true, `properties/${name}`)]),
    );
  }
  delete made["required"];
  if (Array.isArray(required)) {
    const known = [...new Set(required)].filter((name) => names.includes(String(name)));
    if (known.length > 0) made["required"] = known;
  }
  // Without the patterns that are allowed beside it, it would refuse what they allow.
  if ("patternProperties" in schema) delete made["additionalProperties"];
  else if (isJsonObject(additionalProperties)) {
    made["additionalProperties"] = below(additionalProperties, "additionalProperties");
  }
}

function writeItems(made: Record<string, JsonValue>, schema: JsonObject, below: Below): void {
  const { items, prefixItems } = schema;
  const tuple = Array.isArray(prefixItems) ? prefixItems : items;
  delete made["items"];
  delete made["prefixItems"];
  if (Array.isArray(tuple)) {
    made["prefixItems"] = tuple.map((each, at) => below(each, `prefixItems/${at}`));
  }
  if (isJsonObject(items)) made["items"] = below(items, "items");
}
