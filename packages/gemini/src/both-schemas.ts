import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";

/**
 * One schema for what two say of the same value. Where it cannot be said in one, the first one's word
 * stands: what is sent may be wider than what is checked, never narrower.
 */
export function bothOf(one: JsonObject, other: JsonObject): JsonObject {
  const { allOf: _, $ref: __, ...own } = one;
  const merged: Record<string, JsonValue> = { ...other, ...own };
  const [first, second] = [alternativesOf(own), alternativesOf(other)];
  if (first.length > 0 && second.length > 0) {
    merged["anyOf"] = pairs(first, second);
    delete merged["oneOf"];
  }
  for (const keyword of Object.keys(own)) {
    const [first, second] = [own[keyword], other[keyword]];
    if (first === undefined || second === undefined) continue;
    const joined = joins.get(keyword)?.(first, second);
    if (joined !== undefined) merged[keyword] = joined;
  }
  return merged;
}

/** The alternatives of a schema, of which a value is one; none where it has none. */
export function alternativesOf({ anyOf, oneOf }: JsonObject): readonly JsonValue[] {
  const [one, other] = [listOf(anyOf ?? []), listOf(oneOf ?? [])];
  if (one.length === 0 || other.length === 0) return one.length > 0 ? one : other;
  return pairs(one, other);
}

const mostPairs = 64;

/** What is one of these and one of those. Where that is too much, the first word stands. */
function pairs(these: readonly JsonValue[], those: readonly JsonValue[]): readonly JsonValue[] {
  if (these.length * those.length > mostPairs) return these;
  const all = these.flatMap((one) =>
    those
      .filter((other) => !isJsonObject(one) || !isJsonObject(other) || haveCommonType(one, other))
      .map((other) => ({ allOf: [one, other] })),
  );
  return all.length > 0 ? all : these;
}

type Join = (one: JsonValue, other: JsonValue) => JsonValue | undefined;

const least: Join = (one, other) =>
  typeof one === "number" && typeof other === "number" ? Math.min(one, other) : undefined;

const most: Join = (one, other) =>
  typeof one === "number" && typeof other === "number" ? Math.max(one, other) : undefined;

const joins: ReadonlyMap<string, Join> = new Map<string, Join>(
  Object.entries({
    properties: bothProperties,
    required: (one, other) => [...new Set([...listOf(one), ...listOf(other)])],
    type: (one, other) => {
      const common = typesOf(one).flatMap((each) => commonType(each, typesOf(other)));
      return common.length === 0 ? undefined : common.length === 1 ? common[0] : common;
    },
    enum: (one, other) => {
      const known = listOf(other).map((each) => JSON.stringify(each));
      const common = listOf(one).filter((each) => known.includes(JSON.stringify(each)));
      return common.length > 0 ? common : undefined;
    },
    items: bothSchemas,
    additionalProperties: (one, other) => (one === false || other === false ? false : undefined),
    minimum: most,
    minLength: most,
    minItems: most,
    minProperties: most,
    maximum: least,
    maxLength: least,
    maxItems: least,
    maxProperties: least,
  } satisfies Record<string, Join>),
);

function bothProperties(one: JsonValue, other: JsonValue): JsonValue | undefined {
  if (!isJsonObject(one) || !isJsonObject(other)) return undefined;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    Array.from(names, (name) => {
      const [first, second] = [own(one, name), own(other, name)];
      if (first === undefined || second === undefined) return [name, first ?? second ?? true];
      return [name, bothSchemas(first, second) ?? first];
    }),
  );
}

function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function bothSchemas(one: JsonValue, other: JsonValue): JsonValue | undefined {
  if (one === true) return other;
  if (other === true || Array.isArray(one) || Array.isArray(other)) return one;
  return { allOf: [one, other] };
}

/** Whether a value may be of a type that both name; who names none takes all. */
export function haveCommonType(one: JsonObject, other: JsonObject): boolean {
  const [first, second] = [one["type"], other["type"]];
  if (first === undefined || second === undefined) return true;
  return typesOf(first).some((each) => commonType(each, typesOf(second)).length > 0);
}

/** An integer is a number, too. */
function commonType(type: JsonValue, others: readonly JsonValue[]): readonly JsonValue[] {
  if (others.includes(type)) return [type];
  if (type === "number" && others.includes("integer")) return ["integer"];
  return type === "integer" && others.includes("number") ? ["integer"] : [];
}

function typesOf(type: JsonValue): readonly JsonValue[] {
  return Array.isArray(type) ? type : [type];
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
