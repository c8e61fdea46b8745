import { copyJson, isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import { type FormShape, formShape, mayFit } from "./form-shape.js";
import { SchemaReferences } from "./schema-references.js";

/** What of a schema says defaults: flat, so that a call costs no look at the schema. */
interface DefaultsPlan {
  readonly properties: PropertyPlan[];
  readonly items: DefaultsPlan[];
  /** The forms of each `anyOf` and `oneOf`. */
  readonly alternatives: (readonly FormPlan[])[];
}

interface FormPlan {
  readonly shape: FormShape;
  readonly plan: DefaultsPlan | undefined;
}

interface PropertyPlan {
  readonly name: string;
  readonly fallback: JsonValue | undefined;
  readonly plan: DefaultsPlan | undefined;
}

/**
 * Makes the function that fills in what a schema's `properties` (nested ones and those behind
 * `$ref`, `allOf` and `items` too) give a `default` for; those in a form of an `anyOf` or `oneOf` where
 * it can be the only one that was meant. It copies only what it changes; explicit nulls stay. Undefined when the schema has no default: there is nothing to do then.
 */
export function defaultsOf(schema: JsonObject): ((value: JsonObject) => JsonObject) | undefined {
  if (!JSON.stringify(schema).includes('"default":')) return undefined;
  const planner = new Planner(new SchemaReferences(schema));
  const plan = planner.planOf(schema);
  if (plan === undefined || !saysDefault(plan, new Set())) return undefined;
  return (value) => fill(plan, value) as JsonObject;
}

class Planner {
  readonly #references: SchemaReferences;
  /** Recursive schemas make plans that hold themselves. */
  readonly #plans = new Map<JsonObject, DefaultsPlan>();

  constructor(references: SchemaReferences) {
    this.#references = references;
  }

  planOf(schema: JsonValue | undefined): DefaultsPlan | undefined {
    if (!isJsonObject(schema)) return undefined;
    const known = this.#plans.get(schema);
    if (known !== undefined) return known;
    const plan: DefaultsPlan = { properties: [], items: [], alternatives: [] };
    this.#plans.set(schema, plan);
    this.#collect(schema, plan, new Set());
    return plan;
  }

  #collect(schema: JsonValue | undefined, plan: DefaultsPlan, seen: Set<JsonObject>): void {
    if (!isJsonObject(schema) || seen.has(schema)) return;
    seen.add(schema);
    const { properties, items, allOf } = schema;
    if (isJsonObject(properties)) {
      for (const [name, member] of Object.entries(properties)) {
        const fallback = isJsonObject(member) ? member["default"] : undefined;
        plan.properties.push({ name, fallback, plan: this.planOf(member) });
      }
    }
    const itemPlan = this.planOf(items);
    if (itemPlan !== undefined) plan.items.push(itemPlan);
    for (const keyword of ["anyOf", "oneOf"]) {
      const forms = schema[keyword];
      if (Array.isArray(forms)) plan.alternatives.push(forms.map((form) => this.#formPlan(form)));
    }
    for (const member of Array.isArray(allOf) ? allOf : []) this.#collect(member, plan, seen);
    this.#collect(this.#references.targetOf(schema), plan, seen);
  }

  #formPlan(form: JsonValue): FormPlan {
    return { shape: formShape(form, this.#references), plan: this.planOf(form) };
  }
}

function saysDefault(plan: DefaultsPlan | undefined, seen: Set<DefaultsPlan>): boolean {
  if (plan === undefined || seen.has(plan)) return false;
  seen.add(plan);
  return (
    plan.properties.some(
      (property) => property.fallback !== undefined || saysDefault(property.plan, seen),
    ) ||
    plan.items.some((items) => saysDefault(items, seen)) ||
    plan.alternatives.flat().some((form) => saysDefault(form.plan, seen))
  );
}

function fill(plan: DefaultsPlan, value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  const filled = isJsonObject(value)
    ? fillProperties(plan.properties, value)
    : plan.items.reduce(fillItems, value);
  return plan.alternatives.reduce<JsonValue>(fillForm, filled);
}

/** What was meant is known before its defaults are there: afterwards it might fit another form. */
function fillForm(value: JsonValue, forms: readonly FormPlan[]): JsonValue {
  const [only, other] = forms.filter(({ shape }) => mayFit(shape, value));
  return only?.plan === undefined || other !== undefined ? value : fill(only.plan, value);
}

function fillProperties(properties: readonly PropertyPlan[], value: JsonObject): JsonObject {
  let result = value;
  for (const { name, fallback, plan: inner } of properties) {
    const present = Object.hasOwn(result, name) ? result[name] : undefined;
    let filled = present;
    if (present === undefined) filled = copyJson(fallback);
    else if (inner !== undefined) filled = fill(inner, present);
    if (filled === present || filled === undefined) continue;
    if (result === value) result = Object.fromEntries(Object.entries(value));
    define(result, name, filled);
  }
  return result;
}

function fillItems(items: readonly JsonValue[], plan: DefaultsPlan): readonly JsonValue[] {
  let result: JsonValue[] | undefined;
  items.forEach((item, at) => {
    const filled = fill(plan, item);
    if (filled === item) return;
    result ??= [...items];
    result[at] = filled;
  });
  return result ?? items;
}

/** Defined, not assigned: a property may be named "__proto__". */
function define(target: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(target, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
