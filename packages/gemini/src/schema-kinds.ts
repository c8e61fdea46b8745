import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";

/** The types that a value can have, null aside. */
export type SchemaKind = "string" | "number" | "integer" | "boolean" | "array" | "object";

const kindNames: readonly SchemaKind[] = [
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
];

/** Keywords that only mean something for one type, where a schema does not name its type. */
const telling: readonly (readonly [SchemaKind, readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties", "minProperties", "maxProperties"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]],
  ["string", ["pattern", "format", "minLength", "maxLength"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/** Of which types a value may be, and whether it may be null; no types where anything goes. */
export function kindsIn(schema: JsonObject): {
  readonly kinds: readonly SchemaKind[];
  readonly nullable: boolean;
} {
  const { type, enum: values } = schema;
  const types = type === undefined ? [] : Array.isArray(type) ? type : [type];
  const named = kindNames.filter((kind) => types.includes(kind));
  // An integer is a number: both would be one too many.
  const kinds = named.includes("number") ? named.filter((kind) => kind !== "integer") : named;
  const nullable = types.includes("null");
  if (Array.isArray(values) && values.length > 0) {
    const used = kindsOfValues(values);
    const possible = kinds.length > 0 ? used.filter((kind) => fits(kind, kinds)) : used;
    const isOwn = possible.length > 0;
    return {
      kinds: isOwn ? narrowed(possible, kinds) : kinds,
      nullable: (nullable || types.length === 0) && values.includes(null),
    };
  }
  if (kinds.length > 0 || types.length > 0) return { kinds, nullable };
  const told = telling.find(([, keywords]) => keywords.some((keyword) => keyword in schema));
  return { kinds: told ? [told[0]] : [], nullable };
}

function kindsOfValues(values: readonly JsonValue[]): readonly SchemaKind[] {
  const used = new Set(values.flatMap(kindOf));
  // Where some have a fraction, all are numbers.
  if (used.has("number")) used.delete("integer");
  return kindNames.filter((kind) => used.has(kind));
}

function kindOf(value: JsonValue): SchemaKind[] {
  if (value === null) return [];
  if (Array.isArray(value)) return ["array"];
  if (isJsonObject(value)) return ["object"];
  if (typeof value === "number") return [Number.isInteger(value) ? "integer" : "number"];
  return [typeof value === "string" ? "string" : "boolean"];
}

function fits(kind: SchemaKind, kinds: readonly SchemaKind[]): boolean {
  return kinds.includes(kind) || (kind === "integer" && kinds.includes("number"));
}

/** A number that is declared stays one, however whole its values are. */
function narrowed(
  possible: readonly SchemaKind[],
  kinds: readonly SchemaKind[],
): readonly SchemaKind[] {
  return possible.map((kind) => (kind === "integer" && kinds.includes("number") ? "number" : kind));
}
