import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import { forEachSubschema } from "./subschemas.js";

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
