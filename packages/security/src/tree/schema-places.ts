import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";

/** What stands under a keyword of JSON Schema, as far as it matters to where values may stand. */
export type Place =
  /** Schemas of values inside the value: members, items. */
  | "values"
  /** Schemas of the value itself, or that others refer to: values inside them are places too. */
  | "same"
  /** Schemas that only tell values apart. */
  | "tests";

const places: ReadonlyMap<string, Place> = new Map([
  ...words("values", [
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
  ]),
  ...words("same", [
    "anyOf",
    "oneOf",
    "allOf",
    "then",
    "else",
    "dependentSchemas",
    "dependencies",
    "$defs",
    "definitions",
  ]),
  ...words("tests", ["not", "if", "propertyNames", "contentSchema"]),
]);

/** Keywords whose value has a schema under each name. */
const maps: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
  "$defs",
  "definitions",
]);

/** Keywords that only describe. */
const annotations: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$comment",
]);

function words(place: Place, keywords: readonly string[]): [string, Place][] {
  return keywords.map((keyword) => [keyword, place]);
}

/** What stands under a keyword; undefined where that is no schema. */
export function placeOf(keyword: string): Place | undefined {
  return places.get(keyword);
}

/** Whether the value of a keyword holds schemas one step further down, by name or by number. */
export function holdsSeveral(keyword: string, value: JsonValue | undefined): boolean {
  return maps.has(keyword) || Array.isArray(value);
}

/** Whether a schema has an address of its own, against which the references inside it are read. */
export function hasOwnAddress(schema: JsonObject): boolean {
  const { $id } = schema;
  return typeof $id === "string" && $id !== "" && !$id.startsWith("#");
}

/** What of a schema only describes, and what else it says. */
export function splitAnnotations(schema: JsonObject): {
  readonly described: JsonObject;
  readonly rest: JsonObject;
} {
  const entries = Object.entries(schema);
  return {
    described: Object.fromEntries(entries.filter(([keyword]) => annotations.has(keyword))),
    rest: Object.fromEntries(entries.filter(([keyword]) => !annotations.has(keyword))),
  };
}

/** How a place for a value takes a reference, too. */
export type SlotForm =
  /** It takes anything already, or nothing at all. */
  | "none"
  /** It is an `anyOf`, which gets one more form. */
  | "further"
  /** It becomes the first form of an `anyOf`. */
  | "around";

/** How the schema of a value comes to take a reference, too. */
export function slotForm(schema: JsonValue): SlotForm {
  if (!isJsonObject(schema)) return "none";
  const said = Object.keys(schema).filter((keyword) => !annotations.has(keyword));
  if (said.length === 0) return "none";
  return said.length === 1 && Array.isArray(schema["anyOf"]) ? "further" : "around";
}
