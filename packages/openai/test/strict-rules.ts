import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";

/** Everything that strict mode knows. */
const known: ReadonlySet<string> = new Set([
  ...["type", "title", "description", "enum", "anyOf", "$ref", "$defs"],
  ...["properties", "required", "additionalProperties", "items", "minItems", "maxItems"],
  ...["pattern", "format", "multipleOf", "minimum", "maximum"],
  ...["exclusiveMinimum", "exclusiveMaximum"],
]);

/** What breaks the rules of strict mode, by "Supported schemas" in OpenAI's guide. */
export function strictProblems(schema: JsonValue, path = ""): string[] {
  if (!isJsonObject(schema)) return [`${path}: no schema`];
  const isRoot = path === "";
  const problems = [
    ...(isRoot && (schema["type"] !== "object" || "anyOf" in schema) ? ["no object"] : []),
    ...Object.keys(schema).filter((keyword) => !known.has(keyword)),
    ...("$ref" in schema && Object.keys(schema).length > 1 ? ["something beside $ref"] : []),
    ...(["type", "$ref", "anyOf"].some((keyword) => keyword in schema) ? [] : ["no type"]),
    ...(hasType(schema, "object") ? objectProblems(schema) : []),
    ...(hasType(schema, "array") && !("items" in schema) ? ["no items"] : []),
  ];
  return [
    ...problems.map((problem) => `${path}: ${problem}`),
    ...below(schema).flatMap(([name, each]) => strictProblems(each, `${path}/${name}`)),
  ];
}

function objectProblems({ properties, required, additionalProperties }: JsonObject): string[] {
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  return [
    ...(additionalProperties === false ? [] : ["open"]),
    ...(JSON.stringify(required) === JSON.stringify(names) ? [] : ["not everything is required"]),
  ];
}

function hasType({ type }: JsonObject, name: string): boolean {
  return [type].flat().includes(name);
}

function below({ items, anyOf, properties, $defs }: JsonObject): [string, JsonValue][] {
  return [
    ...Object.entries({ ...(items !== undefined && { items }) }),
    ...(Array.isArray(anyOf) ? Object.entries(anyOf) : []),
    ...(isJsonObject(properties) ? Object.entries(properties) : []),
    ...(isJsonObject($defs) ? Object.entries($defs) : []),
  ];
}
