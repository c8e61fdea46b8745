import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import type { StrictReferences } from "./strict-references.js";
import { refuse } from "./strict-refusal.js";
import { listUnder, namedUnder, typesOf, wordsOf } from "./strict-words.js";

/** What the parts of an `allOf` may say if they are to be merged. */
const mergeable: ReadonlySet<string> = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
]);

/**
 * A schema with `allOf` as one without: its only part, where it says nothing itself, or one object
 * with the members of all. Refused where the parts say more than that, or something different of
 * one member.
 */
export function mergedParts(
  schema: JsonObject,
  references: StrictReferences,
  path: string,
  around: ReadonlySet<JsonObject> = new Set(),
): JsonObject {
  const inside = new Set(around).add(schema);
  const { allOf: _, ...own } = schema;
  const [first, ...others] = listUnder(schema, "allOf");
  if (wordsOf(own).length === 0 && others.length === 0 && isJsonObject(first)) {
    return { ...first, ...own };
  }
  const parts = [own, ...listUnder(schema, "allOf")].map((part) =>
    partOf(part, references, path, inside),
  );
  const properties = new Map<string, JsonValue>();
  for (const [name, member] of parts.flatMap((part) => namedUnder(part, "properties"))) {
    const known = properties.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(member)) {
      refuse(path, `has an allOf whose parts say different things of "${name}"`);
    }
    properties.set(name, member);
  }
  const closed = parts.filter((part) => part["additionalProperties"] !== undefined);
  for (const part of closed) {
    const names = new Set(namedUnder(part, "properties").map(([name]) => name));
    const open = part["additionalProperties"] !== false;
    if (open || [...properties.keys()].some((name) => !names.has(name))) {
      refuse(
        path,
        "has an allOf with a part that does not let the other parts' members in, or any",
      );
    }
  }
  return {
    ...own,
    type: takeNull(parts) ? ["object", "null"] : "object",
    properties: Object.fromEntries(properties),
    required: [...new Set(parts.flatMap((part) => listUnder(part, "required")))],
    ...(closed.length > 0 && { additionalProperties: false }),
  };
}

/** Whether null fits all parts; one that says no type leaves that to the others. */
function takeNull(parts: readonly JsonObject[]): boolean {
  const types = parts.map(typesOf).filter((each) => each.length > 0);
  return types.length > 0 && types.every((each) => each.includes("null"));
}

function partOf(
  part: JsonValue,
  references: StrictReferences,
  path: string,
  around: ReadonlySet<JsonObject>,
): JsonObject {
  if (!isJsonObject(part)) return refuse(path, "has an allOf with a part that is no schema");
  const followed = references.follow(part, path);
  if (around.has(followed)) refuse(path, "contains itself by way of allOf");
  const whole = "allOf" in followed ? mergedParts(followed, references, path, around) : followed;
  const other = wordsOf(whole).find((keyword) => !mergeable.has(keyword));
  if (other !== undefined) refuse(path, `has an allOf with a part that has ${other}`);
  const types = typesOf(whole);
  if (types.length > 0 && !types.includes("object")) {
    refuse(path, "has an allOf of something else than objects");
  }
  return whole;
}
