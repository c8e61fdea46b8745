import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import type { PathPart } from "../tree/json-path.js";

/** With these a schema may take members that it does not name itself. */
const others: readonly string[] = [
  "$ref",
  "$dynamicRef",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "dependentSchemas",
  "patternProperties",
];

/**
 * What the object inside arguments has where a path names a member that it does not have; undefined where
 * the path fits, or nobody can tell. Looked for inside the arguments only, not among them.
 */
export function missingMember(
  parameters: JsonObject,
  path: readonly PathPart[],
): { readonly has: readonly string[] } | undefined {
  let schema: JsonValue | undefined = parameters;
  for (const [depth, part] of path.entries()) {
    if (!isJsonObject(schema) || part.kind === "anyMember") return undefined;
    if (part.kind === "member") {
      const has = membersOf(schema);
      if (depth > 0 && has !== undefined && !has.includes(part.name)) return { has };
      schema = memberOf(schema, part.name);
    } else schema = schema["items"];
  }
  return undefined;
}

/** The members that objects of a schema have; undefined where they may have others. */
function membersOf(schema: JsonObject): readonly string[] | undefined {
  const { properties, additionalProperties = false } = schema;
  if (!isJsonObject(properties) || additionalProperties !== false) return undefined;
  const has = Object.keys(properties);
  return has.length === 0 || others.some((word) => word in schema) ? undefined : has;
}

function memberOf({ properties }: JsonObject, name: string): JsonValue | undefined {
  return isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
