import type { JsonObject, JsonValue } from "@tunic/core";
import { refuse } from "./strict-refusal.js";
import {
  describedBy,
  isOfType,
  listUnder,
  type TypeName,
  typeOfValue,
  typesOf,
} from "./strict-words.js";

/** Formats of text that strict mode knows, by "Supported schemas" in OpenAI's guide. */
const formats: ReadonlySet<unknown> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
]);

/** Keywords of numbers that strict mode knows. */
const bounds = [
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
] as const;

/** A text, number, truth value or null in strict form. */
export function strictScalar(type: TypeName, schema: JsonObject): JsonObject {
  if (type === "string") return strictText(schema);
  const said = type === "boolean" || type === "null" ? [] : bounds;
  const kept = said.flatMap((keyword) => {
    const value = schema[keyword];
    return typeof value === "number" ? [[keyword, value] as const] : [];
  });
  return { type, ...describedBy(schema, ["format"]), ...Object.fromEntries(kept) };
}

function strictText(schema: JsonObject): JsonObject {
  const { format, pattern } = schema;
  const knowsFormat = formats.has(format);
  const knowsPattern = typeof pattern === "string" && isRegular(pattern);
  const unsaid = [
    "minLength",
    "maxLength",
    ...(knowsFormat ? [] : ["format"]),
    ...(knowsPattern ? [] : ["pattern"]),
    "contentEncoding",
    "contentMediaType",
  ];
  return {
    type: "string",
    ...describedBy(schema, unsaid),
    ...(knowsFormat && format !== undefined && { format }),
    ...(knowsPattern && { pattern }),
  };
}

/** What looks around, refers back, names a group or a kind of character is refused by the service. */
function isRegular(pattern: string): boolean {
  return !/\(\?[^:]|\\[1-9pPkbBcux]/.test(pattern);
}

/** A list of values in strict form: its type is said, too. */
export function strictValues(schema: JsonObject, path: string): JsonObject {
  const allowed = typesOf(schema);
  const listed = "enum" in schema ? listUnder(schema, "enum") : [schema["const"] ?? null];
  const fixed = "const" in schema ? JSON.stringify(schema["const"]) : undefined;
  const values = listed.filter(
    (value) =>
      (allowed.length === 0 || allowed.some((type) => isOfType(typeOfValue(value), type))) &&
      (fixed === undefined || JSON.stringify(value) === fixed),
  );
  if (values.length === 0) return refuse(path, "allows no value");
  if (values.some((value) => typeof value === "object" && value !== null)) {
    return refuse(path, "lists objects or lists as values");
  }
  return { ...typed(values), ...describedBy(schema, []), enum: values };
}

/** A number that looks whole may stand for any: where both kinds are listed, both are numbers. */
function typed(values: readonly JsonValue[]): JsonObject {
  const types = new Set(values.map(typeOfValue));
  if (types.has("number")) types.delete("integer");
  const [only] = types;
  return { type: types.size === 1 && only !== undefined ? only : [...types] };
}

/** A strict schema that takes null, too. */
export function orNull(schema: JsonObject): JsonObject {
  const { type, anyOf } = schema;
  const types = [type].flat();
  const values = schema["enum"];
  if (types.includes("null")) return schema;
  if (Array.isArray(anyOf)) {
    const takesNull = anyOf.some((each) => [Object(each)["type"]].flat().includes("null"));
    return takesNull ? schema : { ...schema, anyOf: [...anyOf, { type: "null" }] };
  }
  if (type === undefined || type === "object" || type === "array") {
    // What describes the member stands around the alternatives.
    const { title, description, ...rest } = schema;
    return {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      anyOf: [rest, { type: "null" }],
    };
  }
  return {
    ...schema,
    type: [...types.filter((name) => name !== undefined), "null"],
    ...(Array.isArray(values) && { enum: [...values, null] }),
  };
}
