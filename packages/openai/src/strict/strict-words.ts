import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";

/** The types of JSON Schema. */
export type TypeName = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

/** Say something to people and nothing to validators. */
const annotations: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "example",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$comment",
  "$schema",
  "$id",
  "$defs",
  "definitions",
]);

/** Whether a keyword leaves open what is valid. */
export function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword) || keyword.startsWith("x-");
}

/** The members of a schema that say what is valid. */
export function wordsOf(schema: JsonObject): string[] {
  return Object.keys(schema).filter((keyword) => !isAnnotation(keyword));
}

/** The list under a keyword, or an empty one. */
export function listUnder(schema: JsonObject, keyword: string): readonly JsonValue[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value : [];
}

/** The schemas by name under a keyword. */
export function namedUnder(
  schema: JsonObject,
  keyword: string,
): readonly (readonly [name: string, schema: JsonValue])[] {
  const value = schema[keyword];
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** The types that a schema names; what OpenAPI says with `nullable` is one of them. */
export function typesOf(schema: JsonObject): readonly TypeName[] {
  const { type, nullable } = schema;
  const types = [type].flat().filter((name) => typeof name === "string") as TypeName[];
  return nullable === true && types.length > 0 ? [...new Set([...types, "null" as const])] : types;
}

/** The most exact type of a value. */
export function typeOfValue(value: JsonValue): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value as "string" | "boolean" | "object";
}

/** Whether a value of one type is one of another. */
export function isOfType(type: TypeName, wanted: TypeName): boolean {
  return type === wanted || (type === "integer" && wanted === "number");
}

/** In characters; a description is read with every request. */
const longestWord = 160;

/**
 * A schema's title and description, and in the latter what the strict form cannot say: it is checked
 * at home, and a model that knows of it need not fail there.
 */
export function describedBy(schema: JsonObject, unsaid: readonly string[]): JsonObject {
  const { title, description } = schema;
  const words = [...unsaid, "default", "examples"].flatMap((keyword) => {
    const value = schema[keyword];
    const text = value === undefined ? "" : JSON.stringify(value);
    return text === "" || text.length > longestWord ? [] : [`${keyword}: ${text}`];
  });
  const told = words.length > 0 ? `(${words.join("; ")})` : "";
  const texts = [typeof description === "string" ? description : "", told];
  const text = texts.filter((each) => each !== "").join(" ");
  return {
    ...(typeof title === "string" && { title }),
    ...(text !== "" && { description: text }),
  };
}
