import { nearestName } from "../errors/configuration-error.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import { describeForms, isAlternative, topViolations } from "./describe-alternatives.js";
import { unescapePointer } from "./json-copy.js";
import type { SchemaViolation } from "./schema-violation.js";
import { expectationOf, joinWords, shortJson } from "./schema-words.js";

/** How many violations are told; a model that gets these right is told of the others. */
const maximumLines = 5;

/**
 * What is wrong with arguments, in words for a model: one line for each violation, with the place,
 * what is expected there and what came.
 */
export function describeViolations(violations: readonly SchemaViolation[], value: unknown): string {
  const all = withoutRepeats(violations);
  const lines = new Set<string>();
  for (const violation of topViolations(all)) lines.add(describeViolation(violation, all, value));
  return firstLines([...lines]);
}

/**
 * Each violation once: where forms share what they refer to, a validator tells it for each way that leads there, and
 * their number doubles with each level.
 */
function withoutRepeats(violations: readonly SchemaViolation[]): readonly SchemaViolation[] {
  const known = new Set<string>();
  return violations.filter(({ path, schemaPath, property }) => {
    const key = JSON.stringify([path, schemaPath, property]);
    return !known.has(key) && known.add(key);
  });
}

/** The first lines of a list, and how many there are beside them. */
export function firstLines(lines: readonly string[]): string {
  const more = lines.length - maximumLines;
  if (more <= 0) return lines.join("\n");
  return `${lines.slice(0, maximumLines).join("\n")}\nand ${more} more`;
}

function describeViolation(
  violation: SchemaViolation,
  all: readonly SchemaViolation[],
  root: unknown,
): string {
  const value = valueAt(root, violation.path);
  const at = violation.path === "" ? "" : `${shortPath(violation.path)}: `;
  if (isAlternative(violation)) {
    const describe = (member: SchemaViolation) => describeViolation(member, all, root);
    return at + describeForms(violation, all, value, describe);
  }
  return at + (aboutProperty(violation, value) ?? aboutValue(violation, value));
}

/** Violations that are about a property's being there or not. */
function aboutProperty(violation: SchemaViolation, value: unknown): string | undefined {
  const { keyword, schema, property } = violation;
  if (property === undefined) return undefined;
  const name = JSON.stringify(property);
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  switch (keyword) {
    case "required": {
      const member = Object.hasOwn(properties, property) ? properties[property] : undefined;
      const words = expectationOf(member);
      return `missing required property ${name}${words === undefined ? "" : ` (${words})`}`;
    }
    case "additionalProperties":
    case "unevaluatedProperties":
      return `unknown property ${name}; ${knownProperties(property, properties, value)}`;
    case "dependentRequired":
    case "dependencies":
      return `missing property ${name}, which other properties given here require`;
    case "propertyNames":
      return `the property name ${name} is not allowed`;
    default:
      return undefined;
  }
}

function knownProperties(property: string, properties: JsonObject, value: unknown): string {
  const names = Object.keys(properties);
  if (names.length === 0) return "no properties are allowed here";
  const given = isJsonObject(value) ? value : {};
  // A name that is there already is not the one that was meant.
  const nearest = nearestName(
    property,
    names.filter((name) => !Object.hasOwn(given, name)),
  );
  if (nearest !== undefined) return `did you mean ${JSON.stringify(nearest)}?`;
  return `the known ones are ${joinWords(names.map((name) => JSON.stringify(name)))}`;
}

function aboutValue({ keyword, schema }: SchemaViolation, value: unknown): string {
  const limit = shortJson(schema[keyword]);
  const words = limits[keyword];
  if (words !== undefined) return `${words.replace("%", limit)}; got ${measure(keyword, value)}`;
  switch (keyword) {
    case "type":
    case "enum":
    case "const":
      return `expected ${expectationOf(only(schema, keyword)) ?? "something else"}; got ${shortJson(value)}`;
    case "not":
      return `must not fit ${shortJson(schema["not"])}; got ${shortJson(value)}`;
    case "false":
      return `is not allowed here; got ${shortJson(value)}`;
    case "uniqueItems":
      return `must not hold the same item twice; got ${shortJson(value)}`;
    case "contains":
    case "minContains":
    case "maxContains": {
      const least = schema["minContains"] ?? 1;
      const most = schema["maxContains"];
      const range =
        most === undefined
          ? `at least ${shortJson(least)}`
          : `${shortJson(least)} to ${shortJson(most)}`;
      return `must hold ${range} item(s) that fit ${shortJson(schema["contains"])}; got ${shortJson(value)}`;
    }
    default:
      return `does not fit "${keyword}" of the schema; got ${shortJson(value)}`;
  }
}

/** Keywords with a limit, which stands where the % is. */
const limits: Readonly<Record<string, string>> = {
  minimum: "must be at least %",
  maximum: "must be at most %",
  exclusiveMinimum: "must be more than %",
  exclusiveMaximum: "must be less than %",
  multipleOf: "must be a multiple of %",
  minLength: "must have at least % character(s)",
  maxLength: "must have at most % character(s)",
  pattern: "must match the pattern %",
  minItems: "must have at least % item(s)",
  maxItems: "must have at most % item(s)",
  minProperties: "must have at least % property(s)",
  maxProperties: "must have at most % property(s)",
  items: "must have no further items",
  additionalItems: "must have no further items",
  unevaluatedItems: "must have no further items",
};

/** What came, in the measure of the limit. */
function measure(keyword: string, value: unknown): string {
  if (Array.isArray(value)) return `${value.length}`;
  if (typeof value === "string" && keyword.endsWith("Length")) {
    return `${[...value].length}: ${shortJson(value)}`;
  }
  return isJsonObject(value) ? `${Object.keys(value).length}` : shortJson(value);
}

function only(schema: JsonObject, keyword: string): JsonObject {
  const value = schema[keyword];
  return value === undefined ? {} : { [keyword]: value };
}

function valueAt(root: unknown, path: string): JsonValue | undefined {
  let value = root;
  for (const step of path.split("/").slice(1).map(unescapePointer)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value as JsonValue | undefined;
}

function shortPath(path: string): string {
  return path.length <= 200 ? path : `${path.slice(0, 200)}…`;
}
