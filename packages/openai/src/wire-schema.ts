import { ConfigurationError, type JsonObject, type JsonValue } from "@tunic/core";

/** What an object schema comes to when its combinators are worked in. */
interface Shape {
  readonly properties: ReadonlyMap<string, JsonValue>;
  readonly required: readonly string[];
  readonly additionalProperties: JsonValue | undefined;
}

/** Members that the service refuses at the root, or that mean nothing to it. */
const refusedAtRoot: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "enum",
  "const",
]);

/** Members that are put together anew. */
const rebuilt: ReadonlySet<string> = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
]);

/**
 * A tool's schema in the form in which the service takes it: an object with `properties`, and no
 * combinator at the root. Alternatives become one object whose members are optional; the tool's own
 * schema still says what is valid, and its validation tells the model.
 *
 * @throws ConfigurationError `invalid_schema` where the root can be no object.
 */
export function toWireSchema(schema: JsonObject, toolName: string): JsonObject {
  if (!mayBeObject(schema)) {
    throw new ConfigurationError(
      "invalid_schema",
      `The parameters of tool "${toolName}" are of type ${JSON.stringify(schema["type"])}; the ` +
        `service takes an object. Write { type: "object", properties: { value: … } } instead.`,
    );
  }
  const combined = ["$ref", "allOf", "anyOf", "oneOf"].some((member) => member in schema);
  if (combined) refuseLostPointers(schema, toolName);
  const shape = shapeOf(schema, schema, new Set());
  const rest = Object.entries(schema).filter(
    ([member]) => !refusedAtRoot.has(member) && !rebuilt.has(member),
  );
  return {
    type: "object",
    properties: Object.fromEntries(shape.properties),
    ...(shape.required.length > 0 && { required: shape.required }),
    ...(shape.additionalProperties !== undefined && {
      additionalProperties: shape.additionalProperties,
    }),
    ...Object.fromEntries(rest),
  };
}

function shapeOf(schema: JsonObject, root: JsonObject, seen: ReadonlySet<JsonObject>): Shape {
  const inside = new Set(seen).add(schema);
  const shapesAt = (member: string): Shape[] =>
    objectsIn(schema[member])
      .filter((branch) => mayBeObject(branch) && !inside.has(branch))
      .map((branch) => shapeOf(branch, root, inside));
  let shape = ownShape(schema);
  const target = resolvePointer(schema["$ref"], root);
  if (target && !inside.has(target)) shape = both(shape, shapeOf(target, root, inside));
  for (const part of shapesAt("allOf")) shape = both(shape, part);
  for (const member of ["anyOf", "oneOf"]) {
    const alternatives = shapesAt(member);
    if (alternatives.length > 0) shape = both(shape, either(alternatives));
  }
  return shape;
}

function ownShape(schema: JsonObject): Shape {
  const { properties, required } = schema;
  return {
    properties: new Map(isObject(properties) ? Object.entries(properties) : []),
    required: textsIn(required),
    additionalProperties: schema["additionalProperties"],
  };
}

/** What holds together. Where both describe a member, what is nearer to the root says it. */
function both(outer: Shape, inner: Shape): Shape {
  return {
    properties: new Map([...inner.properties, ...outer.properties]),
    required: [...new Set([...outer.required, ...inner.required])],
    additionalProperties: outer.additionalProperties ?? inner.additionalProperties,
  };
}

/** What one of several allows: all members of all, required only where each requires it. */
function either(shapes: readonly Shape[]): Shape {
  const properties = new Map<string, JsonValue>();
  for (const name of new Set(shapes.flatMap((shape) => [...shape.properties.keys()]))) {
    properties.set(name, anyOf(shapes.flatMap((shape) => shape.properties.get(name) ?? [])));
  }
  const [first, ...others] = shapes;
  const additional = first?.additionalProperties;
  return {
    properties,
    required: (first?.required ?? []).filter((name) =>
      others.every((shape) => shape.required.includes(name)),
    ),
    additionalProperties: others.every((shape) => isSame(shape.additionalProperties, additional))
      ? additional
      : undefined,
  };
}

function anyOf(schemas: readonly JsonValue[]): JsonValue {
  const different = schemas.filter(
    (schema, at) => schemas.findIndex((other) => isSame(other, schema)) === at,
  );
  const [only] = different;
  return different.length === 1 && only !== undefined ? only : { anyOf: different };
}

/** A pointer into a combinator would point nowhere once the combinator is worked in. */
function refuseLostPointers(schema: JsonObject, toolName: string): void {
  const lost = /"\$ref":"(#\/(?:allOf|anyOf|oneOf)\/[^"]*)"/.exec(JSON.stringify(schema));
  if (!lost) return;
  throw new ConfigurationError(
    "invalid_schema",
    `The parameters of tool "${toolName}" refer to "${lost[1]}", and the service takes no ` +
      `combinator at the root. Move what it points to under $defs.`,
  );
}

function resolvePointer(pointer: JsonValue | undefined, root: JsonObject): JsonObject | undefined {
  if (typeof pointer !== "string" || !pointer.startsWith("#/")) return undefined;
  let value: JsonValue | undefined = root;
  for (const step of pointer.slice(2).split("/")) {
    const member = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    value = isObject(value) ? value[member] : undefined;
  }
  return isObject(value) ? value : undefined;
}

function mayBeObject(schema: JsonObject): boolean {
  const { type } = schema;
  return (
    type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"))
  );
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
