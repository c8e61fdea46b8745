import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import { movedReference } from "./moved-reference.js";
import {
  hasOwnAddress,
  holdsSeveral,
  placeOf,
  slotForm,
  splitAnnotations,
} from "./schema-places.js";

/** What a reference looks like to a model. The path behind the id is checked where it is read. */
const referenceSchema: JsonObject = {
  type: "object",
  properties: { $ref: { type: "string", pattern: "^v[1-9][0-9]*" } },
  required: ["$ref"],
  additionalProperties: false,
  description: "Stands for a hidden value.",
};

/** Schemas never change, so what one comes to holds as long as it lives. */
const made = new WeakMap<JsonObject, JsonObject>();

/**
 * The schema of a tool's arguments in which every value, at any depth, may also be a reference
 * (`{ "$ref": "v3.body" }`): each place for one becomes an `anyOf` of what it was and of one shared
 * definition, `reference` under the root's `$defs` (or `reference_2` and so on, where that is taken).
 * `description`, `default` and whatever else only describes move to that `anyOf`, so that they stand
 * where they stood. Without references the same arguments are valid as before.
 *
 * The arguments object itself gets no slot. Left alone are `not`, `if` and `propertyNames`, places that
 * take anything already, and schemas with an `$id` of their own, which only get a slot from outside. A
 * `oneOf` still takes one form only: where several fit because a reference stands in the member that
 * tells them apart, the arguments do not fit. Defaults inside an object whose only member is a text
 * called `$ref` are not filled in: it may be a reference.
 *
 * The same schema gives the same object every time, and is given back itself where it has no such place.
 */
export function withReferenceSlots(parameters: JsonObject): JsonObject {
  const known = made.get(parameters);
  if (known !== undefined) return known;
  const slotted = new SlotWriter(parameters).write();
  made.set(parameters, slotted);
  made.set(slotted, slotted);
  return slotted;
}

class SlotWriter {
  readonly #root: JsonObject;
  readonly #name: string;
  #slots = 0;

  constructor(root: JsonObject) {
    this.#root = root;
    this.#name = freeName(root["$defs"]);
  }

  write(): JsonObject {
    const schema = this.#inside(this.#root, true);
    if (this.#slots === 0) return this.#root;
    const definitions = isJsonObject(schema["$defs"]) ? schema["$defs"] : {};
    return { ...schema, $defs: { ...definitions, [this.#name]: referenceSchema } };
  }

  /** A schema with slots for the values inside its value, and its references led to where things are now. */
  #inside(schema: JsonObject, withSlots: boolean): JsonObject {
    const copy = movedReference(schema, this.#root);
    for (const [keyword, value] of Object.entries(schema)) {
      const place = placeOf(keyword);
      if (place === undefined) continue;
      const write = (member: JsonValue) => {
        if (!isJsonObject(member) || (hasOwnAddress(member) && place !== "values")) return member;
        const slots = withSlots && place !== "tests";
        return slots && place === "values" ? this.#slot(member) : this.#inside(member, slots);
      };
      copy[keyword] = holdsSeveral(keyword, value) ? eachOf(value, write) : write(value);
    }
    return copy;
  }

  #slot(schema: JsonObject): JsonObject {
    const form = slotForm(schema);
    const inside = hasOwnAddress(schema) ? schema : this.#inside(schema, true);
    if (form === "none") return inside;
    this.#slots++;
    const reference = { $ref: `#/$defs/${this.#name}` };
    const forms = inside["anyOf"];
    if (form === "further" && Array.isArray(forms)) {
      return { ...inside, anyOf: [...forms, reference] };
    }
    const { described, rest } = splitAnnotations(inside);
    return { ...described, anyOf: [rest, reference] };
  }
}

function eachOf(value: JsonValue, write: (member: JsonValue) => JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(write);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, write(member)]));
}

function freeName(definitions: JsonValue | undefined): string {
  const taken = isJsonObject(definitions) ? definitions : {};
  let name = "reference";
  for (let count = 2; Object.hasOwn(taken, name); count++) name = `reference_${count}`;
  return name;
}
