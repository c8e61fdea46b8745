import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import { sameJson } from "../messages/same-json.js";

/** What a schema says of an object, as far as it can be said without a combinator at the root. */
export interface ObjectShape {
  readonly properties: ReadonlyMap<string, JsonValue>;
  readonly required: readonly string[];
  readonly additionalProperties: JsonValue | undefined;
  readonly description: JsonValue | undefined;
  /** By keyword, `$defs` or `definitions`: what was taken from a part may refer to them. */
  readonly definitions: ReadonlyMap<string, JsonObject>;
}

/** What a schema says itself, whatever it refers to or combines. */
export function ownShape(schema: JsonObject): ObjectShape {
  const { properties, required, description } = schema;
  return {
    properties: new Map(isJsonObject(properties) ? Object.entries(properties) : []),
    required: Array.isArray(required) ? required.filter((name) => typeof name === "string") : [],
    // Without the patterns that are allowed beside it, it would refuse what they allow.
    additionalProperties:
      "patternProperties" in schema ? undefined : schema["additionalProperties"],
    description,
    definitions: new Map(
      ["$defs", "definitions"].flatMap((keyword) => {
        const value = schema[keyword];
        return isJsonObject(value) ? [[keyword, value] as const] : [];
      }),
    ),
  };
}

/** What holds where a schema and all of its parts do. */
export function allOf(own: ObjectShape, parts: readonly ObjectShape[]): ObjectShape {
  const all = [own, ...parts];
  const [lone] = parts;
  return {
    properties: joined(all, "allOf"),
    required: [...new Set(all.flatMap(({ required }) => required))],
    additionalProperties: all.find((shape) => shape.additionalProperties !== undefined)
      ?.additionalProperties,
    // One of several parts would describe a piece only.
    description: own.description ?? (parts.length === 1 ? lone?.description : undefined),
    definitions: allDefinitions(all),
  };
}

/** What one of several allows: all members of all, required only where each requires it. */
export function oneOf(shapes: readonly [ObjectShape, ...ObjectShape[]]): ObjectShape {
  const [first, ...others] = shapes;
  if (others.length === 0) return first;
  const { required, additionalProperties } = first;
  return {
    properties: joined(shapes, "anyOf"),
    required: required.filter((name) => others.every((shape) => shape.required.includes(name))),
    additionalProperties: others.every((shape) =>
      sameJson(shape.additionalProperties, additionalProperties),
    )
      ? additionalProperties
      : undefined,
    description: undefined,
    definitions: allDefinitions(shapes),
  };
}

function joined(
  shapes: readonly ObjectShape[],
  how: "allOf" | "anyOf",
): ReadonlyMap<string, JsonValue> {
  const found = new Map<string, JsonValue[]>();
  for (const { properties } of shapes) {
    for (const [name, schema] of properties) {
      const known = found.get(name) ?? [];
      if (!known.some((each) => sameJson(each, schema))) known.push(schema);
      found.set(name, known);
    }
  }
  return new Map(
    Array.from(found, ([name, schemas]) => {
      const [only] = schemas;
      return [name, schemas.length === 1 && only !== undefined ? only : { [how]: schemas }];
    }),
  );
}

/** Where two parts define the same name, the one that is nearer to the root stands. */
function allDefinitions(shapes: readonly ObjectShape[]): ReadonlyMap<string, JsonObject> {
  const all = new Map<string, JsonObject>();
  for (const { definitions } of shapes) {
    for (const [keyword, members] of definitions) {
      all.set(keyword, { ...members, ...all.get(keyword) });
    }
  }
  return all;
}
