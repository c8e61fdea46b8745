import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import { haveCommonType } from "./both-schemas.js";
import { toPlainSchema } from "./plain-schema.js";
import { kindsIn, type SchemaKind } from "./schema-kinds.js";

/**
 * A plain schema in the form of Gemini's `Schema`, a part of OpenAPI 3.0
 * (https://ai.google.dev/api/caching#Schema). What it has no word for becomes a sentence of the
 * description, since a word it does not know has the whole request refused:
 *
 * - A list of types becomes one type and `nullable`, or `anyOf`. Beside `anyOf` nothing else stands: each
 *   alternative says what holds for all of them, too.
 * - `enum` is for text; numbers and truth values that are allowed are told in the description.
 * - A list without a type of its items, and what may be anything, takes text, numbers and truth values.
 * - An object of any form is asked for as its JSON text, since "properties: should be non-empty for
 *   OBJECT type"; the text is read before the arguments are checked.
 */
export function toGeminiSchema(
  schema: JsonObject,
  budget: Budget = { left: mostJoined },
): JsonObject {
  const { kinds, nullable } = kindsIn(schema);
  const branches = isJsonObject(schema["properties"]) ? [] : branchesOf(schema, budget);
  if (branches.length > 0) {
    return anyOf(branches, nullable || allowNull(schema["anyOf"]), wordsOf(schema));
  }
  const made = (kinds.length > 0 ? kinds : anything).map((kind) => ofKind(kind, schema, budget));
  return anyOf(made, nullable, wordsOf(schema));
}

/** How many alternatives may still be joined with what stands around them: nested ones multiply. */
interface Budget {
  left: number;
}

const mostJoined = 200;

const anything: readonly SchemaKind[] = ["string", "number", "boolean"];

/** The alternatives of a schema, each with what is said of all of them, without the one that is null. */
function branchesOf(
  { anyOf: list, title: _, description: __, ...around }: JsonObject,
  budget: Budget,
): readonly JsonObject[] {
  if (!Array.isArray(list)) return [];
  const branches = list.filter(isJsonObject).filter((each) => !isNull(each));
  const isBare = Object.keys(around).length === 0;
  return branches
    .filter((each) => haveCommonType(each, around))
    .map((each) => {
      if (isBare || budget.left-- <= 0) return toGeminiSchema(each, budget);
      const joined = toPlainSchema({ allOf: [each, around] }, "An alternative");
      return toGeminiSchema(joined.schema, budget);
    });
}

function allowNull(list: JsonValue | undefined): boolean {
  return Array.isArray(list) && list.some((each) => isJsonObject(each) && isNull(each));
}

function isNull({ type, enum: values }: JsonObject): boolean {
  if (Array.isArray(values)) return values.length > 0 && values.every((each) => each === null);
  return type === "null" || (Array.isArray(type) && type.every((each) => each === "null"));
}

/** What says something to people and to the model only. */
function wordsOf({ title, description }: JsonObject): JsonObject {
  return {
    ...(typeof title === "string" && title !== "" && { title }),
    ...(typeof description === "string" && description !== "" && { description }),
  };
}

function anyOf(made: readonly JsonObject[], nullable: boolean, words: JsonObject): JsonObject {
  const flat = made.flatMap((each) =>
    Array.isArray(each["anyOf"]) ? each["anyOf"].filter(isJsonObject) : [each],
  );
  const distinct = [...new Map(flat.map((each) => [JSON.stringify(each), each])).values()];
  const each = distinct.map((schema) => ({
    ...schema,
    ...words,
    ...withDescription(schema, words),
    ...(nullable && { nullable: true }),
  }));
  const [only = { type: "STRING" }] = each;
  return each.length > 1 ? { anyOf: each } : only;
}

/** What a branch says of itself is not lost to what is said of all of them. */
function withDescription({ description }: JsonObject, words: JsonObject): JsonObject {
  const outer = words["description"];
  if (typeof description !== "string") return {};
  if (typeof outer !== "string" || description.includes(outer)) return { description };
  return { description: `${outer} ${description}` };
}

function ofKind(kind: SchemaKind, schema: JsonObject, budget: Budget): JsonObject {
  switch (kind) {
    case "string":
      return textSchema(schema);
    case "number":
    case "integer":
      return numberSchema(kind, schema);
    case "boolean":
      return { type: "BOOLEAN", ...sentences([allowedValues(schema, "boolean")]) };
    case "array":
      return listSchema(schema, budget);
    case "object":
      return objectSchema(schema, budget);
  }
}

function textSchema(schema: JsonObject): JsonObject {
  const { format, pattern, default: fallback } = schema;
  const values = valuesOf(schema, "string");
  const named = values?.filter((each) => each !== "") ?? [];
  return {
    type: "STRING",
    // An empty text is refused in a list of values.
    ...(named.length > 0 && { enum: named }),
    ...(named.length === 0 && format === "date-time" && { format }),
    ...counts(schema, ["minLength", "maxLength"]),
    ...(isSimplePattern(pattern) && { pattern }),
    ...(typeof fallback === "string" && { default: fallback }),
    ...sentences([
      named.length > 0 && values?.includes("") && "It may be empty.",
      typeof format === "string" && format !== "date-time" && `Format: ${format}.`,
      typeof pattern === "string" && !isSimplePattern(pattern) && `Pattern: ${pattern}`,
    ]),
  };
}

/** The service's expressions cannot look around or back. */
function isSimplePattern(pattern: JsonValue | undefined): pattern is string {
  return typeof pattern === "string" && !/\(\?(?!:)|\\[1-9kpP]/.test(pattern);
}

const numberFormats = { integer: ["int32", "int64"], number: ["float", "double"] } as const;

function numberSchema(kind: "integer" | "number", schema: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema;
  const fallback = schema["default"];
  const formats: readonly unknown[] = numberFormats[kind];
  return {
    type: kind === "integer" ? "INTEGER" : "NUMBER",
    ...(formats.includes(format) && typeof format === "string" && { format }),
    ...(typeof minimum === "number" && { minimum }),
    ...(typeof maximum === "number" && { maximum }),
    ...(typeof fallback === "number" && { default: fallback }),
    ...sentences([
      allowedValues(schema, kind),
      typeof exclusiveMinimum === "number" && `Greater than ${exclusiveMinimum}.`,
      typeof exclusiveMaximum === "number" && `Less than ${exclusiveMaximum}.`,
      typeof multipleOf === "number" && `A multiple of ${multipleOf}.`,
    ]),
  };
}

function listSchema(schema: JsonObject, budget: Budget): JsonObject {
  const { items, prefixItems } = schema;
  const members = Array.isArray(prefixItems) ? prefixItems.filter(isJsonObject) : [];
  const all = [...members, ...(isJsonObject(items) ? [items] : [])];
  return {
    type: "ARRAY",
    items: toGeminiSchema(all.length > 1 ? { anyOf: all } : (all[0] ?? {}), budget),
    ...counts(schema, ["minItems", "maxItems"]),
  };
}

function objectSchema(schema: JsonObject, budget: Budget): JsonObject {
  const { properties, required } = fromValues(schema);
  const all = Object.entries(membersOf({ ...schema, properties: properties ?? {} }));
  if (all.length === 0) {
    return { type: "STRING", description: "An object, written as its JSON text." };
  }
  const own = isJsonObject(properties) ? properties : {};
  const needed = Array.isArray(required)
    ? required.filter((name) => typeof name === "string" && Object.hasOwn(own, name))
    : [];
  return {
    type: "OBJECT",
    properties: Object.fromEntries(all.map(([name, each]) => [name, toGeminiSchema(each, budget)])),
    ...(needed.length > 0 && { required: needed }),
    ...counts(schema, ["minProperties", "maxProperties"]),
  };
}

/**
 * A schema of an object; where it lists whole objects, with the members that these have. As a text an
 * object that is one of several could not be told from a text that is none of them.
 */
function fromValues(schema: JsonObject): JsonObject {
  const values = Array.isArray(schema["enum"]) ? schema["enum"].filter(isJsonObject) : [];
  if (values.length === 0 || isJsonObject(schema["properties"])) return schema;
  const names = [...new Set(values.flatMap((each) => Object.keys(each)))];
  const holders = (name: string) => values.filter((each) => Object.hasOwn(each, name));
  return {
    ...schema,
    properties: Object.fromEntries(
      names.map((name) => [name, { enum: holders(name).map((each) => each[name] ?? null) }]),
    ),
    required: names.filter((name) => holders(name).length === values.length),
  };
}

/** Beside properties of its own, alternatives are told together: all of theirs may be given. */
function membersOf(schema: JsonObject): Readonly<Record<string, JsonObject>> {
  const all = new Map<string, JsonObject>();
  const collect = ({ properties, anyOf: branches }: JsonObject): void => {
    for (const [name, each] of Object.entries(isJsonObject(properties) ? properties : {})) {
      if (!all.has(name)) all.set(name, isJsonObject(each) ? each : {});
    }
    if (Array.isArray(branches)) branches.filter(isJsonObject).forEach(collect);
  };
  collect(schema);
  return Object.fromEntries(all);
}

/** Counts are 64-bit numbers there, which JSON for protocol buffers writes as text. */
function counts(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(
    keywords.flatMap((keyword) => {
      const count = schema[keyword];
      return Number.isSafeInteger(count) && Number(count) >= 0 ? [[keyword, String(count)]] : [];
    }),
  );
}

function valuesOf(schema: JsonObject, kind: SchemaKind): readonly JsonValue[] | undefined {
  const values = schema["enum"];
  if (!Array.isArray(values)) return undefined;
  const type = kind === "integer" ? "number" : kind;
  return [...new Set(values)].filter((each) => typeof each === type);
}

function allowedValues(schema: JsonObject, kind: SchemaKind): string | undefined {
  const values = valuesOf(schema, kind);
  return values && values.length > 0 ? `One of: ${values.join(", ")}.` : undefined;
}

function sentences(each: readonly (string | false | undefined)[]): JsonObject {
  const said = each.filter((sentence) => sentence);
  return said.length > 0 ? { description: said.join(" ") } : {};
}
