import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import { forEachSubschema, mapSubschemas } from "./subschemas.js";

/** The versions of JSON Schema that are told apart; older ones than draft-07 are read as it. */
export type SchemaDialect = "draft-07" | "2019-09" | "2020-12";

/** Which version a schema is written in, and whether it says one that is known (or none). */
export function dialectOf(schema: JsonObject): {
  readonly dialect: SchemaDialect;
  readonly known: boolean;
} {
  const { $schema } = schema;
  if ($schema === undefined) return { dialect: dialectByShape(schema), known: true };
  const named = typeof $schema === "string" ? namedDialect($schema) : undefined;
  return { dialect: named ?? dialectByShape(schema), known: named !== undefined };
}

function namedDialect(address: string): SchemaDialect | undefined {
  const name = /^https?:\/\/json-schema\.org\/(.+?)#?$/.exec(address.trim())?.[1];
  if (name === undefined) return undefined;
  if (/^draft-0[3-7]\//.test(name)) return "draft-07";
  if (name === "draft/2019-09/schema") return "2019-09";
  return name === "draft/2020-12/schema" || name === "schema" ? "2020-12" : undefined;
}

/**
 * Schemas without `$schema` are often draft-07 with a few newer words. 2019-09 knows nearly all
 * words of both sides, and the old meaning of a list under `items`.
 */
function dialectByShape(schema: JsonObject): SchemaDialect {
  let dialect: SchemaDialect = "2020-12";
  const visit = (member: JsonValue): void => {
    if (!isJsonObject(member)) return;
    if (Array.isArray(member["items"]) && !("prefixItems" in member)) dialect = "2019-09";
    if ("$recursiveRef" in member) dialect = "2019-09";
    forEachSubschema(member, visit);
  };
  visit(schema);
  return dialect;
}

/**
 * A copy of a schema with the same meaning that a validator takes without complaint. Left out is
 * what is not checked here (`format`) or only trips validators up (`$schema` inside, `id`,
 * `$async`); words of older drafts and of OpenAPI are said in the newer way.
 *
 * @throws Error where something that should be a schema is none.
 */
export function forValidator(schema: JsonObject, dialect: SchemaDialect): JsonObject {
  const copy = translated(schema, dialect);
  return isJsonObject(copy) ? copy : {};
}

function translated(schema: JsonValue, dialect: SchemaDialect): JsonValue {
  if (typeof schema === "boolean") return schema;
  if (!isJsonObject(schema)) {
    throw new Error(`${JSON.stringify(schema)?.slice(0, 80)} stands where a schema should`);
  }
  const source = dialect === "draft-07" ? withoutSiblings(schema) : schema;
  const copy = mapSubschemas(source, (member) => translated(member, dialect));
  for (const keyword of ["$schema", "$async", "format"]) delete copy[keyword];
  if (typeof copy["id"] === "string") delete copy["id"];
  sayAnchor(copy, dialect);
  sayBounds(copy);
  sayNullable(copy);
  if (typeof copy["required"] === "boolean") delete copy["required"];
  if (typeof copy["pattern"] === "string") copy["pattern"] = unicodePattern(copy["pattern"]);
  const patterns = copy["patternProperties"];
  if (isJsonObject(patterns)) {
    copy["patternProperties"] = Object.fromEntries(
      Object.entries(patterns).map(([pattern, member]) => [unicodePattern(pattern), member]),
    );
  }
  return copy;
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

/** Up to draft-07 an anchor was written as a `$id`. */
function sayAnchor(schema: Record<string, JsonValue>, dialect: SchemaDialect): void {
  const id = schema["$id"];
  if (dialect === "draft-07" || typeof id !== "string" || !id.startsWith("#")) return;
  delete schema["$id"];
  if (id.length > 1) schema["$anchor"] = id.slice(1);
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
