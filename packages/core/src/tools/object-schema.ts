import { ConfigurationError } from "../errors/configuration-error.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import { allOf, type ObjectShape, oneOf, ownShape } from "./object-shape.js";
import { SchemaReferences } from "./schema-references.js";
import { forEachSubschema } from "./subschemas.js";

/** Members that are worked into the root. */
const combinators = ["$ref", "allOf", "anyOf", "oneOf"];

/** Members that services refuse at the root, or that mean nothing to them. */
const refused = new Set([...combinators, "$schema", "$id", "not", "enum", "const"]);

/** Enough for any real schema; what lies behind is taken to allow anything. */
const mostBranches = 256;

interface Reading {
  readonly references: SchemaReferences;
  /** How many more branches may be read. */
  left: number;
}

/**
 * A tool's schema in the form in which services take it: an object with `properties`, and neither
 * `$ref` nor a combinator at the root. Alternatives become one object that allows them all. What is
 * lost is still enforced where arguments are validated, which tells the model. A schema that has
 * this form already comes back as it is.
 *
 * @param what Names the schema at the beginning of error messages.
 * @throws ConfigurationError `invalid_schema` where the root can be no object, or where something
 * points into a part of the root that does not stay.
 */
export function toObjectSchema(schema: JsonObject, what = "The schema"): JsonObject {
  if (!mayBeObject(schema)) {
    throw new ConfigurationError(
      "invalid_schema",
      `${what} is of type ${JSON.stringify(schema["type"])}, and services take an object. ` +
        'Write { type: "object", properties: { value: … } } instead.',
    );
  }
  if (hasForm(schema)) return schema;
  const references = new SchemaReferences(schema);
  const shape = shapeOf(schema, { references, left: mostBranches }, new Set());
  const made = written(shape, schema);
  refuseLostPointers(made, references, what);
  return made;
}

function hasForm(schema: JsonObject): boolean {
  return (
    schema["type"] === "object" &&
    isJsonObject(schema["properties"]) &&
    !Object.keys(schema).some((member) => refused.has(member))
  );
}

function shapeOf(
  schema: JsonObject,
  reading: Reading,
  around: ReadonlySet<JsonObject>,
): ObjectShape {
  const inside = new Set(around).add(schema);
  const read = (branch: JsonValue | undefined): readonly ObjectShape[] => {
    if (branch === undefined || branch === true) return [ownShape({})];
    // A circle adds nothing to what is being read already.
    if (!isJsonObject(branch) || !mayBeObject(branch) || inside.has(branch)) return [];
    return [reading.left-- > 0 ? shapeOf(branch, reading, inside) : ownShape({})];
  };
  const parts: ObjectShape[] = [];
  if ("$ref" in schema) parts.push(...read(reading.references.targetOf(schema)));
  parts.push(...listUnder(schema, "allOf").flatMap(read));
  for (const member of ["anyOf", "oneOf"]) {
    const [first, ...others] = listUnder(schema, member).flatMap(read);
    if (first !== undefined) parts.push(oneOf([first, ...others]));
  }
  return allOf(ownShape(schema), parts);
}

function written(shape: ObjectShape, schema: JsonObject): JsonObject {
  const { properties, required, additionalProperties, description, definitions } = shape;
  const gone = new Set([...refused, "required"]);
  // What the parts of the root allow besides their members is no longer said.
  if (combinators.some((member) => member in schema)) gone.add("unevaluatedProperties");
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([member]) => !gone.has(member))),
    type: "object",
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...(additionalProperties !== undefined && { additionalProperties }),
    ...Object.fromEntries(definitions),
  };
}

/** A pointer into what the root no longer has would have the whole request refused. */
function refuseLostPointers(made: JsonObject, before: SchemaReferences, what: string): void {
  const after = new SchemaReferences(made);
  const visit = (schema: JsonValue): void => {
    if (!isJsonObject(schema)) return;
    const lost = "$ref" in schema && before.targetOf(schema) !== undefined;
    if (lost && after.targetOf(schema) === undefined) {
      throw new ConfigurationError(
        "invalid_schema",
        `${what} refers to ${JSON.stringify(schema["$ref"])}, and services take no combinator at ` +
          "the root. Move what it points to under $defs.",
      );
    }
    forEachSubschema(schema, visit);
  };
  visit(made);
}

function mayBeObject({ type }: JsonObject): boolean {
  return (
    type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"))
  );
}

function listUnder(schema: JsonObject, member: string): readonly JsonValue[] {
  const value = schema[member];
  return Array.isArray(value) ? value : [];
}
