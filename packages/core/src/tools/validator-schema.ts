import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import { mapSubschemas } from "./map-subschemas.js";
import type { SchemaDialect } from "./schema-dialect.js";
import { SchemaReferences } from "./schema-references.js";

/**
 * A copy of a schema with the same meaning that a validator takes without complaint. Left out is
 * what is not checked here (`format`) or only trips validators up (`$schema` inside, `id`,
 * `$async`); words of older drafts and of OpenAPI are said in the newer way, references as pointers.
 *
 * @throws Error where something that should be a schema is none.
 */
export function forValidator(schema: JsonObject, dialect: SchemaDialect): JsonObject {
  const references = new SchemaReferences(schema);
  // Where the way to a schema decides what a reference means, its addresses have to stay.
  const pointers = references.dynamic ? undefined : references;
  const copy = translated(schema, { dialect, pointers });
  return isJsonObject(copy) ? copy : {};
}

interface Translation {
  readonly dialect: SchemaDialect;
  readonly pointers: SchemaReferences | undefined;
}

function translated(schema: JsonValue, translation: Translation): JsonValue {
  if (typeof schema === "boolean") return schema;
  if (!isJsonObject(schema)) {
    throw new Error(`${JSON.stringify(schema)?.slice(0, 80)} stands where a schema should`);
  }
  const source = translation.dialect === "draft-07" ? withoutSiblings(schema) : schema;
  const copy = mapSubschemas(source, (member) => translated(member, translation));
  for (const keyword of ["$schema", "$async", "format"]) delete copy[keyword];
  if (typeof copy["id"] === "string") delete copy["id"];
  if (translation.pointers !== undefined) sayPointer(copy, translation.pointers.pointerOf(schema));
  sayBounds(copy);
  sayNullable(copy);
  if (typeof copy["required"] === "boolean") delete copy["required"];
  sayPatterns(copy);
  return copy;
}

/**
 * References become pointers from the root, and addresses go: validators get lost among addresses
 * inside a schema, and two tools may use the same ones.
 */
function sayPointer(schema: Record<string, JsonValue>, pointer: string | undefined): void {
  if (pointer !== undefined) schema["$ref"] = pointer;
  for (const keyword of ["$id", "$anchor", "$dynamicAnchor"]) {
    if (typeof schema[keyword] === "string") delete schema[keyword];
  }
}

/** Up to draft-07 what stands beside a `$ref` means nothing, except as a target of references. */
function withoutSiblings(schema: JsonObject): JsonObject {
  if (typeof schema["$ref"] !== "string") return schema;
  return Object.fromEntries(
    ["$ref", "definitions", "$defs"].flatMap((keyword) => {
      const value = schema[keyword];
      return value === undefined ? [] : [[keyword, value] as const];
    }),
  );
}

/** In draft-04 `exclusiveMinimum: true` made `minimum` exclusive. */
function sayBounds(schema: Record<string, JsonValue>): void {
  for (const [exclusive, inclusive] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const flag = schema[exclusive];
    if (typeof flag !== "boolean") continue;
    delete schema[exclusive];
    const bound = schema[inclusive];
    if (flag && bound !== undefined) {
      schema[exclusive] = bound;
      delete schema[inclusive];
    }
  }
}

/** OpenAPI says `nullable: true` for a further type. */
function sayNullable(schema: Record<string, JsonValue>): void {
  const { nullable, type } = schema;
  delete schema["nullable"];
  if (nullable !== true || type === undefined) return;
  const types: readonly JsonValue[] = Array.isArray(type) ? type : [type];
  if (!types.includes("null")) schema["type"] = [...types, "null"];
}

function sayPatterns(schema: Record<string, JsonValue>): void {
  const { pattern, patternProperties } = schema;
  if (typeof pattern === "string") schema["pattern"] = unicodePattern(pattern);
  if (!isJsonObject(patternProperties)) return;
  schema["patternProperties"] = Object.fromEntries(
    Object.entries(patternProperties).map(([each, member]) => [unicodePattern(each), member]),
  );
}

/**
 * Patterns run in unicode mode, which refuses needless escapes such as `\_`: those are written as
 * the character's number.
 */
function unicodePattern(pattern: string): string {
  if (isPattern(pattern)) return pattern;
  const plain = pattern.replace(
    /\\(?:[\^$\\.*+?()[\]{}|/bBdDsSwWnrtfvcxukpP0-9]|(.))/gsu,
    (whole: string, character: string | undefined) =>
      character === undefined ? whole : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return isPattern(plain) ? plain : pattern;
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}
