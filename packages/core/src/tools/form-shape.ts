import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import type { SchemaReferences } from "./schema-references.js";

/** What can be told at a glance of the objects and lists that a schema takes. */
export interface FormShape {
  readonly takesObjects: boolean;
  readonly takesLists: boolean;
  /** Members that have to be there, except those with a default. */
  readonly required: readonly string[];
  /** The only members there may be, where the schema says so. */
  readonly closed: readonly ReadonlySet<string>[];
}

/** The shape of one form of an `anyOf` or `oneOf`, with what its `$ref` leads to. */
export function formShape(form: JsonValue, references: SchemaReferences): FormShape {
  const parts = partsOf(form, references);
  const takes = (type: string) => parts.every((part) => takesType(part, type));
  const schemas = parts.filter(isJsonObject);
  return {
    takesObjects: takes("object"),
    takesLists: takes("array"),
    required: schemas.flatMap(requiredOf),
    closed: schemas.flatMap((schema) =>
      schema["additionalProperties"] === false && !("patternProperties" in schema)
        ? [new Set(Object.keys(propertiesOf(schema)))]
        : [],
    ),
  };
}

/** Whether an object or a list may fit. Where this says no, it does not; where it says yes, it need not. */
export function mayFit(shape: FormShape, value: JsonValue): boolean {
  if (!isJsonObject(value)) return shape.takesLists;
  if (!shape.takesObjects) return false;
  if (!shape.required.every((name) => Object.hasOwn(value, name))) return false;
  return shape.closed.every((known) => Object.keys(value).every((name) => known.has(name)));
}

/** A schema, and what its `$ref`s lead to one after the other. */
function partsOf(form: JsonValue, references: SchemaReferences): readonly JsonValue[] {
  const parts: JsonValue[] = [];
  let part: JsonValue | undefined = form;
  while (part !== undefined && !parts.includes(part)) {
    parts.push(part);
    part = isJsonObject(part) ? references.targetOf(part) : undefined;
  }
  return parts;
}

function takesType(schema: JsonValue, wanted: string): boolean {
  if (!isJsonObject(schema)) return schema !== false;
  const { type } = schema;
  return type === undefined || type === wanted || (Array.isArray(type) && type.includes(wanted));
}

function requiredOf(schema: JsonObject): readonly string[] {
  const { required } = schema;
  if (!Array.isArray(required)) return [];
  const properties = propertiesOf(schema);
  return required.filter((name): name is string => {
    if (typeof name !== "string") return false;
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return !isJsonObject(member) || member["default"] === undefined;
  });
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}
