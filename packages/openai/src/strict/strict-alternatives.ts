import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import type { StrictReferences } from "./strict-references.js";
import { refuse } from "./strict-refusal.js";
import { isOfType, listUnder, namedUnder, typeOfValue, typesOf, wordsOf } from "./strict-words.js";

/**
 * Makes sure that alternatives can be said strictly: `oneOf` becomes `anyOf`, which is the same only
 * where no value fits two of them; and an optional member, which strict form sends as null, is only
 * told apart from a null that another alternative would take where no other one takes the rest.
 */
export function checkAlternatives(
  branches: readonly JsonObject[],
  exclusive: boolean,
  references: StrictReferences,
  path: string,
): void {
  const followed = branches.map((branch) => references.follow(branch, path));
  followed.forEach((branch, at) => {
    for (const other of followed.slice(at + 1)) {
      if (areDisjoint(branch, other)) continue;
      if (exclusive) refuse(path, "is a oneOf whose alternatives may overlap");
      if (hasOptional(branch, references) || hasOptional(other, references)) {
        refuse(path, "has alternatives with optional members that nothing tells apart");
      }
    }
  });
}

function areDisjoint(a: JsonObject, b: JsonObject): boolean {
  const values = [valuesOf(a), valuesOf(b)] as const;
  if (values[0] && values[1]) return share(values[0], values[1]) === false;
  const types = [typesIn(a), typesIn(b)] as const;
  if (types[0].length > 0 && types[1].length > 0) {
    const meets = types[0].some((type) =>
      types[1].some((other) => isOfType(type, other) || isOfType(other, type)),
    );
    if (!meets) return true;
  }
  return hasMark(a, b) || excludes(a, b) || excludes(b, a);
}

function typesIn(schema: JsonObject): ReturnType<typeof typesOf> {
  return valuesOf(schema)?.map(typeOfValue) ?? typesOf(schema);
}

/** The values that a schema lists, where it does. */
function valuesOf(schema: JsonValue | undefined): readonly JsonValue[] | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (schema["const"] !== undefined) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
}

function share(some: readonly JsonValue[], others: readonly JsonValue[]): boolean {
  const known = new Set(some.map((value) => JSON.stringify(value)));
  return others.some((value) => known.has(JSON.stringify(value)));
}

/** Whether both are objects and require a member that has other values here than there. */
function hasMark(a: JsonObject, b: JsonObject): boolean {
  if (!isObject(a) || !isObject(b)) return false;
  const others = new Map(namedUnder(b, "properties"));
  return namedUnder(a, "properties").some(([name, schema]) => {
    const values = [valuesOf(schema), valuesOf(others.get(name))] as const;
    if (!values[0] || !values[1] || !requires(a, name) || !requires(b, name)) return false;
    return !share(values[0], values[1]);
  });
}

/** Whether one requires a member that the other, which is closed, does not have. */
function excludes(a: JsonObject, b: JsonObject): boolean {
  if (!isObject(a) || !isObject(b) || a["additionalProperties"] !== false) return false;
  if ("patternProperties" in a) return false;
  const names = new Set(namedUnder(a, "properties").map(([name]) => name));
  return listUnder(b, "required").some((name) => typeof name === "string" && !names.has(name));
}

function isObject(schema: JsonObject): boolean {
  const types = typesOf(schema);
  return types.length === 1 && types[0] === "object";
}

function requires(schema: JsonObject, name: string): boolean {
  return listUnder(schema, "required").includes(name);
}

/** Whether something inside may be left out. */
function hasOptional(
  schema: JsonValue,
  references: StrictReferences,
  seen = new Set<JsonValue>(),
): boolean {
  if (Array.isArray(schema)) return schema.some((each) => hasOptional(each, references, seen));
  if (!isJsonObject(schema) || seen.has(schema)) return false;
  seen.add(schema);
  if ("$ref" in schema) {
    if (hasOptional(references.targetOf(schema, ""), references, seen)) return true;
    if (references.besides(schema).length === 0) return false;
  }
  const members = namedUnder(schema, "properties");
  if (members.some(([name]) => !requires(schema, name))) return true;
  return [
    ...members.map(([, member]) => member),
    ...wordsOf(schema).flatMap((keyword) =>
      ["items", "anyOf", "oneOf", "allOf"].includes(keyword) ? (schema[keyword] ?? []) : [],
    ),
  ].some((member) => hasOptional(member, references, seen));
}
