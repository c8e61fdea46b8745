import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import { refuse } from "./strict-refusal.js";
import { listUnder, namedUnder } from "./strict-words.js";

/**
 * How large a strict schema may be, by "Supported schemas" in OpenAI's guide to Structured Outputs.
 * What counts as a level is not said there; here each object and each list is one.
 */
const limits = {
  properties: 5000,
  levels: 10,
  /** Of names of properties and definitions, and of the values of `enum` and `const`. */
  characters: 120_000,
  enumValues: 1000,
  /** From how many text values on their length counts, too … */
  longEnum: 250,
  /** … and how long they may be together. */
  longEnumCharacters: 15_000,
} as const;

/** Refuses a strict schema that is too large. */
export function checkLimits(schema: JsonObject): void {
  const size = { properties: 0, enumValues: 0, characters: 0 };
  const measure = (value: JsonValue | undefined, levels: number): void => {
    if (!isJsonObject(value)) return;
    const types = [value["type"]].flat();
    const here = types.includes("object") || types.includes("array") ? levels + 1 : levels;
    if (here > limits.levels) refuse("", `has more than ${limits.levels} levels`);
    measureValues(value, size);
    for (const [name, member] of namedUnder(value, "properties")) {
      size.properties++;
      size.characters += name.length;
      measure(member, here);
    }
    for (const [name, member] of namedUnder(value, "$defs")) {
      size.characters += name.length;
      measure(member, 0);
    }
    measure(value["items"], here);
    for (const member of listUnder(value, "anyOf")) measure(member, here);
  };
  measure(schema, 0);
  for (const name of ["properties", "enumValues", "characters"] as const) {
    if (size[name] <= limits[name]) continue;
    refuse("", `has ${size[name]} ${words[name]}, where ${limits[name]} are allowed`);
  }
}

const words = {
  properties: "properties",
  enumValues: "values in enums",
  characters: "characters in names and values",
} as const;

function measureValues(schema: JsonObject, size: { enumValues: number; characters: number }): void {
  const values = listUnder(schema, "enum");
  let characters = 0;
  for (const value of values) characters += String(value).length;
  const texts = values.some((value) => typeof value === "string");
  if (texts && values.length > limits.longEnum && characters > limits.longEnumCharacters) {
    refuse("", `has an enum of ${values.length} values that is too long`);
  }
  size.enumValues += values.length;
  size.characters += characters + String(schema["const"] ?? "").length;
}
