import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import type { StrictReferences } from "./strict-references.js";
import { refuse } from "./strict-refusal.js";
import { isAnnotation, listUnder, namedUnder, typesOf } from "./strict-words.js";

/** Alternatives that only say which members go together: left to the check at home. */
export function onlyRequires(branches: readonly JsonValue[]): boolean {
  return branches.every(
    (branch) =>
      isJsonObject(branch) &&
      Object.keys(branch).every((keyword) => keyword === "required" || isAnnotation(keyword)),
  );
}

/** Words by which a member that is given too many makes an object invalid. */
const limiting = ["oneOf", "dependentRequired", "maxProperties"] as const;

/**
 * Makes sure that what an object says of the presence of its members can still be kept. In strict form all
 * are there, as null where they are absent; a null that the member's own schema takes stays, and counts.
 */
export function checkPresence(
  schema: JsonObject,
  references: StrictReferences,
  path: string,
): void {
  const members = namedUnder(schema, "properties");
  const names = new Set<JsonValue>(members.map(([name]) => name));
  const alternatives = [...listUnder(schema, "anyOf"), ...listUnder(schema, "oneOf")];
  for (const name of alternatives
    .filter(isJsonObject)
    .flatMap((each) => listUnder(each, "required"))) {
    if (names.has(name)) continue;
    refuse(path, `may require ${JSON.stringify(name)} and does not say what it is`);
  }
  const word = limiting.find((each) => each in schema);
  if (word === undefined) return;
  const required = listUnder(schema, "required");
  for (const [name, member] of members) {
    if (required.includes(name) || !takesNull(member, references)) continue;
    refuse(path, `has ${word} and ${JSON.stringify(name)}, which may be absent or null`);
  }
}

/** Whether a schema may take null. */
function takesNull(
  schema: JsonValue,
  references: StrictReferences,
  seen = new Set<JsonValue>(),
): boolean {
  if (!isJsonObject(schema) || seen.has(schema)) return false;
  seen.add(schema);
  const targets = "$ref" in schema ? [references.targetOf(schema, "")] : [];
  const inside = ["anyOf", "oneOf", "allOf"].flatMap((keyword) => listUnder(schema, keyword));
  return (
    typesOf(schema).includes("null") ||
    listUnder(schema, "enum").includes(null) ||
    schema["const"] === null ||
    [...targets, ...inside].some((each) => takesNull(each, references, seen))
  );
}
