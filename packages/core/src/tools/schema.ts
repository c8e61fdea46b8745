import type { Static, TSchema } from "@sinclair/typebox";
import { ConfigurationError } from "../errors/configuration-error.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import { checkedJsonCopy } from "./json-copy.js";
import type { FromJsonSchema } from "./json-schema-types.js";
import { SchemaReferences } from "./schema-references.js";
import { isStandardSchema, type StandardSchema } from "./standard-schema.js";

/** A JSON Schema as it may be written down in code. */
export interface JsonSchemaLiteral {
  readonly [keyword: string]: unknown;
}

/**
 * What `parameters` may be: a TypeBox schema, a Standard Schema that can say itself as JSON Schema
 * (zod 4.2 or later, arktype, valibot through `toStandardJsonSchema`), or a JSON Schema.
 */
export type SchemaInput = TSchema | StandardSchema | JsonSchemaLiteral;

/** The type of the arguments that a schema describes, as `execute` receives them. */
export type ArgumentsOf<Schema> = [Schema] extends [undefined]
  ? JsonObject
  : Schema extends { readonly "~standard": { readonly types?: infer Types } }
    ? NonNullable<Types> extends { readonly output: infer Output }
      ? Output
      : JsonObject
    : Schema extends TSchema
      ? Static<Schema>
      : FromLiteral<Schema>;

type FromLiteral<Schema> = string extends keyof Schema
  ? JsonObject
  : unknown extends FromJsonSchema<Schema>
    ? JsonObject
    : FromJsonSchema<Schema>;

/**
 * The JSON Schema of a tool's arguments as frozen plain JSON: always of type object and with
 * `properties`, whatever was written; nothing written means no arguments.
 *
 * @param what Names the schema in error messages, such as `parameters of the tool "search"`.
 * @throws ConfigurationError `schema_without_json_schema` or `schema_conversion_failed` for a
 * Standard Schema, `schema_not_json` and `schema_too_deep` for what JSON cannot say,
 * `schema_not_object` for other arguments than an object or a forgotten `properties`, `schema_unresolvable_reference` for a
 * `$ref` that leads nowhere or elsewhere.
 */
export function toJsonSchema(parameters: SchemaInput | undefined, what: string): JsonObject {
  const source = isStandardSchema(parameters) ? convert(parameters, what) : (parameters ?? {});
  const copy = checkedJsonCopy(source, what);
  if (!isJsonObject(copy)) throw notAnObject(what, "it is no schema object");
  if (looksLikeProperties(copy)) {
    const [name = ""] = Object.keys(copy);
    throw new ConfigurationError(
      "schema_not_object",
      `The members of the ${what} look like properties. Write { type: "object", properties: { ${name}: … } }.`,
    );
  }
  const references = new SchemaReferences(copy);
  references.check(what);
  const reason = whyNoObject(copy, references, new Set());
  if (reason !== undefined) throw notAnObject(what, reason);
  return withObjectRoot(copy);
}

/** Members of which any tells that an object is meant as a schema. */
const rootKeywords =
  /^(\$.*|x-.*|type|properties|required|additionalProperties|allOf|anyOf|oneOf|not|if|then|else|enum|const|definitions|dependen.*|patternProperties|propertyNames|unevaluated.*|minProperties|maxProperties|title|description|default|examples)$/;

/** Whether somebody wrote the properties where the schema around them belongs. */
function looksLikeProperties(schema: JsonObject): boolean {
  const members = Object.entries(schema);
  return (
    members.length > 0 &&
    !members.some(([name]) => rootKeywords.test(name)) &&
    members.every(([, member]) => isJsonObject(member))
  );
}

function convert(schema: StandardSchema, what: string): unknown {
  const { vendor, jsonSchema } = schema["~standard"];
  if (typeof jsonSchema?.input !== "function") {
    throw new ConfigurationError(
      "schema_without_json_schema",
      `The ${what} cannot be turned into JSON Schema: ${remedyFor(vendor)}.`,
    );
  }
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError(
      "schema_conversion_failed",
      `The ${what} cannot be turned into JSON Schema: ${vendor} says "${reason}". ` +
        "Describe what the model sends (text, numbers, lists, objects) and convert it afterwards.",
      { cause },
    );
  }
}

function remedyFor(vendor: string): string {
  if (vendor === "zod") {
    return 'import from "zod" (4.2 or later), not from "zod/mini" or "zod/v3", or pass z.toJSONSchema(schema)';
  }
  if (vendor === "valibot") return "wrap it with toStandardJsonSchema of @valibot/to-json-schema";
  if (vendor === "arktype") return "use arktype 2.1.28 or later";
  return `"${vendor}" gives no JSON Schema (~standard.jsonSchema); write the JSON Schema by hand`;
}

function notAnObject(what: string, reason: string): ConfigurationError {
  return new ConfigurationError(
    "schema_not_object",
    `The ${what} must describe an object, for models send named arguments; ${reason}. ` +
      'Write { type: "object", properties: { … } } and make the value one of its properties.',
  );
}

/** Why no object can fit a schema, or undefined where one may. */
function whyNoObject(
  schema: JsonValue | undefined,
  references: SchemaReferences,
  seen: Set<JsonValue>,
): string | undefined {
  if (schema === false) return "it accepts nothing";
  if (!isJsonObject(schema) || seen.has(schema)) return undefined;
  seen.add(schema);
  const own = whyNotByValue(schema);
  if (own !== undefined) return own;
  const inner = (member: JsonValue | undefined) => whyNoObject(member, references, new Set(seen));
  return whyNotByMembers(schema, references, inner);
}

function whyNotByMembers(
  schema: JsonObject,
  references: SchemaReferences,
  inner: (member: JsonValue | undefined) => string | undefined,
): string | undefined {
  const all = [references.targetOf(schema), ...listUnder(schema, "allOf")].map(inner);
  const some = [listUnder(schema, "anyOf"), listUnder(schema, "oneOf")].map((members) => {
    const reasons = members.map(inner);
    return reasons.includes(undefined) ? undefined : reasons[0];
  });
  return [...all, ...some].find((reason) => reason !== undefined);
}

function listUnder(schema: JsonObject, keyword: string): readonly JsonValue[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value : [];
}

function whyNotByValue(schema: JsonObject): string | undefined {
  const { type } = schema;
  const types = Array.isArray(type) ? type : [type];
  if (type !== undefined && !types.includes("object")) {
    return `its type is ${JSON.stringify(type)}`;
  }
  if ("const" in schema && !isJsonObject(schema["const"])) return "it allows one fixed value only";
  const members = schema["enum"];
  if (Array.isArray(members) && !members.some(isJsonObject)) return "it lists values";
  return undefined;
}

/**
 * Arguments are an object in any case, so saying it changes nothing for the validator; services
 * refuse a root without it.
 */
function withObjectRoot(schema: JsonObject): JsonObject {
  if (schema["type"] === "object" && "properties" in schema) return schema;
  const combined = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf"].some((key) => key in schema);
  return Object.freeze({
    ...schema,
    type: "object",
    ...(!combined && !("properties" in schema) && { properties: Object.freeze({}) }),
  });
}
