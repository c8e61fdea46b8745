import { ConfigurationError, isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import { alternativesOf, bothOf } from "./both-schemas.js";
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
  /** How many parts under a condition may still be read: those that lead to each other multiply. */
  conditions: number;
}

const mostSchemas = 5000;
const mostConditions = 500;

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
 * under `items` becomes `prefixItems`, and `required` names only properties that are there. Properties that
 * stand under a condition (`then`, `else`, `dependentSchemas`) may be given without it. Where a
 * schema holds itself it is cut: there stands an object of any form. Arguments and answers are checked
 * against the whole schema all the same. The schema that is given stays as it is.
 *
 * @throws ConfigurationError `invalid_schema` for a reference that leads nowhere.
 */
export function toPlainSchema(root: JsonObject, what: string): PlainSchema {
  const reading: Reading = { root, what, cuts: [], left: mostSchemas, conditions: mostConditions };
  const schema = plain(root, "", reading, new Set());
  return { schema, cuts: reading.cuts };
}

/** The schemas around the one that is read. */
type Around = ReadonlySet<JsonObject>;

function plain(value: JsonValue, path: string, reading: Reading, around: Around): JsonObject {
  if (!isJsonObject(value)) return {};
  if (reading.left-- <= 0) return cut(path, reading);
  const inside = new Set(around);
  const maybe: JsonObject[] = [];
  const merged = merge(value, path, reading, inside, maybe);
  if (merged === undefined) return cut(path, reading);
  return written(withMaybe(merged, maybe), path, reading, inside);
}

/** What stands in for a schema that would go on without an end. */
function cut(path: string, reading: Reading): JsonObject {
  reading.cuts.push(path);
  return { type: "object", description: "An object like the one around it." };
}

/**
 * A schema with its references and the parts of its `allOf` in it; undefined where it holds itself.
 *
 * @param maybe Takes the schemas that hold only if something else does.
 */
function merge(
  schema: JsonObject,
  path: string,
  reading: Reading,
  inside: Set<JsonObject>,
  maybe: JsonObject[],
): JsonObject | undefined {
  if (inside.has(schema)) return undefined;
  inside.add(schema);
  let merged = schema;
  const reference = schema["$ref"] ?? schema["$dynamicRef"] ?? schema["$recursiveRef"];
  const parts = Array.isArray(schema["allOf"]) ? [...schema["allOf"]] : [];
  if (typeof reference === "string") parts.unshift(targetOf(reference, path, reading));
  for (const part of parts) {
    if (!isJsonObject(part)) continue;
    const whole = merge(part, path, reading, inside, maybe);
    if (whole === undefined) return undefined;
    merged = bothOf(merged, whole);
  }
  for (const part of conditional(schema)) {
    if (reading.conditions-- <= 0) break;
    const whole = merge(part, path, reading, new Set(inside), maybe);
    if (whole !== undefined) maybe.push(whole);
  }
  return merged;
}

/** What a schema says of some of its values only. */
function conditional(schema: JsonObject): readonly JsonObject[] {
  const { dependentSchemas, dependencies } = schema;
  return [
    ...("if" in schema ? [schema["then"], schema["else"]] : []),
    ...[dependentSchemas, dependencies].flatMap((each) =>
      isJsonObject(each) ? Object.values<JsonValue>(each) : [],
    ),
  ].filter(isJsonObject);
}

/**
 * A schema with the properties that it has only if something else holds: all of them may be given.
 * Left out, what such a condition demands could never be said.
 */
function withMaybe(schema: JsonObject, maybe: readonly JsonObject[]): JsonObject {
  if (maybe.length === 0 || schema["additionalProperties"] === false) return schema;
  const known = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const found = new Map<string, JsonValue[]>();
  for (const { properties } of maybe) {
    for (const [name, each] of Object.entries(isJsonObject(properties) ? properties : {})) {
      if (each === false || Object.hasOwn(known, name)) continue;
      found.set(name, [...(found.get(name) ?? []), each]);
    }
  }
  if (found.size === 0) return schema;
  const added = Array.from(found, ([name, [only = true, ...others]]): [string, JsonValue] => [
    name,
    others.length > 0 ? { anyOf: [only, ...others] } : only,
  ]);
  return { ...schema, properties: Object.fromEntries([...Object.entries(known), ...added]) };
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
  const branches = alternativesOf(schema);
  delete made["anyOf"];
  if (branches.length > 0) made["anyOf"] = branches.map((each, at) => below(each, `anyOf/${at}`));
  if (schema["nullable"] === true) made["type"] = withNull(schema["type"]);
  writeProperties(made, schema, below);
  writeItems(made, schema, below);
  return made;
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
