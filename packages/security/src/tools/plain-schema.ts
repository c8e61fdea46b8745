import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";

/** Larger ones are written by nobody who wants a narrow answer. */
const mostSchemas = 500;
const longestSchema = 20_000;

/**
 * Keywords with which a small schema takes long to check, or lets in what its other words forbid:
 * references (which may double at each step) and patterns of names.
 */
const refused: ReadonlySet<string> = new Set([
  "$ref",
  "$dynamicRef",
  "$recursiveRef",
  "patternProperties",
]);

/** Keywords that hold schemas by name. */
const named: ReadonlySet<string> = new Set([
  "properties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

/** Keywords that hold values, whatever they look like. */
const values: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);

/**
 * Why a schema is not one that a model may have its answers checked by: the check has to end soon,
 * whatever the answer is. Undefined for one that is.
 */
export function schemaProblem(schema: JsonObject): string | undefined {
  if (JSON.stringify(schema).length > longestSchema) return "it is too long";
  const schemas: JsonObject[] = [schema];
  // Grows while it is walked.
  for (const each of schemas) {
    if (schemas.length > mostSchemas) return "it has too many parts";
    const keyword = Object.keys(each).find((name) => refused.has(name));
    if (keyword !== undefined) return `it has "${keyword}"`;
    for (const [name, value] of Object.entries(each)) schemas.push(...schemasIn(name, value));
  }
  return undefined;
}

function schemasIn(keyword: string, value: JsonValue): readonly JsonObject[] {
  if (values.has(keyword)) return [];
  if (Array.isArray(value)) return value.filter(isJsonObject);
  if (!isJsonObject(value)) return [];
  return named.has(keyword) ? Object.values(value).filter(isJsonObject) : [value];
}
