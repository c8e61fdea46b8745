import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import { SchemaReferences } from "./schema-references.js";
import type { SchemaCheck } from "./schema-violation.js";
import { forEachSubschema, type SchemaSteps } from "./subschemas.js";

/** Of schemas that one check goes through; so many take a validator about half a second. */
const mostEvaluations = 100_000;

/** A schema of no more parts, with its references written out and no circle among them, needs no look at the value. */
const fewParts = 20_000;

/** What does not fit for the only reason that nobody can check it in reasonable time. */
export class UncheckableValue extends Error {
  override readonly name = "UncheckableValue";
}

/**
 * A check that is not begun where it would take too long. A schema that refers to itself from several forms of an
 * `anyOf` is gone through twice for each level of a value, four times for the next, and so on: few lines, and a
 * value of twenty levels, would keep a validator busy for minutes. How often is counted beforehand, which
 * takes one look for each schema and place.
 *
 * @throws UncheckableValue from the check, where it would.
 */
export function affordable(schema: JsonObject, check: SchemaCheck): SchemaCheck {
  const references = new KnownReferences(schema);
  if (isSmall(schema, references)) return check;
  return (value) => {
    const count = new EvaluationCount(references);
    if (count.of(schema, placeOf(value as JsonValue)) <= mostEvaluations) {
      return check(value);
    }
    throw new UncheckableValue(
      "It would take too long to check this: the schema refers to itself in several ways. Use fewer levels, or fewer parts.",
    );
  };
}

class KnownReferences {
  readonly #references: SchemaReferences;
  readonly #targets = new Map<JsonObject, JsonValue | undefined>();

  constructor(schema: JsonObject) {
    this.#references = new SchemaReferences(schema);
  }

  targetOf(schema: JsonObject): JsonValue | undefined {
    if (!this.#targets.has(schema)) {
      this.#targets.set(schema, this.#references.targetOf(schema));
    }
    return this.#targets.get(schema);
  }
}

/** Whether all of a schema, with its references written out, is not much. A circle has no end. */
function isSmall(root: JsonObject, references: KnownReferences): boolean {
  const sizes = new Map<JsonObject, number>();
  const sizeOf = (schema: JsonValue | undefined): number => {
    if (!isJsonObject(schema)) return 1;
    const known = sizes.get(schema);
    if (known !== undefined) return known;
    sizes.set(schema, Number.POSITIVE_INFINITY);
    let size = 1 + sizeOf(references.targetOf(schema));
    forEachSubschema(schema, (member) => {
      size += sizeOf(member);
    });
    sizes.set(schema, size);
    return size;
  };
  return sizeOf(root) <= fewParts;
}

/** A place in the value, and how often the schemas there go through what they hold. */
interface Place {
  readonly value: JsonValue;
  /** Its own name or number in what is around it. */
  readonly key: string;
  readonly counts: Map<JsonObject, number>;
  children?: Map<string, Place>;
}

/** Counts as many evaluations as there are at most: what a validator skips is counted, too. */
class EvaluationCount {
  readonly #references: KnownReferences;
  #looks = 0;

  constructor(references: KnownReferences) {
    this.#references = references;
  }

  of(schema: JsonValue | undefined, place: Place): number {
    if (!isJsonObject(schema)) return 1;
    const known = place.counts.get(schema);
    if (known !== undefined) return known;
    this.#looks += 1;
    // Stays where the schema leads back to itself without a step into the value.
    place.counts.set(schema, Number.POSITIVE_INFINITY);
    if (this.#looks > mostEvaluations) return Number.POSITIVE_INFINITY;
    let count = 1 + this.of(this.#references.targetOf(schema), place);
    forEachSubschema(schema, (member, steps) => {
      for (const at of placesFor(schema, steps, place)) {
        if (count > mostEvaluations) return;
        count += this.of(member, at);
      }
    });
    place.counts.set(schema, count);
    return count;
  }
}

/** Which places of a value the schema under a keyword is about. */
function placesFor(schema: JsonObject, steps: SchemaSteps, place: Place): readonly Place[] {
  const [keyword, key] = steps;
  switch (keyword) {
    case "$defs":
    case "definitions":
    case "contentSchema":
      return [];
    case "properties":
      return isJsonObject(place.value) ? childAt(place, key) : [];
    case "additionalProperties":
      return membersOf(place).filter(({ key: name }) => !isNamed(schema, name));
    case "patternProperties":
    case "unevaluatedProperties":
      return membersOf(place);
    case "propertyNames":
      return membersOf(place).map(({ key: name }) => placeOf(name));
    case "prefixItems":
      return Array.isArray(place.value) ? childAt(place, key) : [];
    case "items":
      if (key !== undefined) return Array.isArray(place.value) ? childAt(place, key) : [];
      return itemsOf(place).slice(lengthOf(schema["prefixItems"]));
    case "additionalItems":
      return itemsOf(place).slice(lengthOf(schema["items"]));
    case "unevaluatedItems":
    case "contains":
      return itemsOf(place);
    default:
      return [place];
  }
}

function placeOf(value: JsonValue, key = ""): Place {
  return { value, key, counts: new Map() };
}

function membersOf(place: Place): readonly Place[] {
  const { value } = place;
  return isJsonObject(value) ? Object.keys(value).flatMap((key) => childAt(place, key)) : [];
}

function itemsOf(place: Place): readonly Place[] {
  const { value } = place;
  return Array.isArray(value) ? value.flatMap((_, at) => childAt(place, `${at}`)) : [];
}

/** The same place each time, for it holds what is known already. */
function childAt(place: Place, key = ""): readonly Place[] {
  const { value } = place;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return [];
  place.children ??= new Map();
  const known = place.children.get(key);
  if (known !== undefined) return [known];
  const child = placeOf((value as { readonly [key: string]: JsonValue })[key] ?? null, key);
  place.children.set(key, child);
  return [child];
}

function isNamed({ properties }: JsonObject, name: string): boolean {
  return isJsonObject(properties) && Object.hasOwn(properties, name);
}

function lengthOf(list: JsonValue | undefined): number {
  return Array.isArray(list) ? list.length : 0;
}
