import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";

/** A schema that the service can hold the model to. */
export interface StrictForm {
  readonly schema: JsonObject;
  /** How many arguments may be absent, and how many may be of several types: both are limited. */
  readonly optional: number;
  readonly unions: number;
}

/** Why a schema has no strict form. */
export interface NotStrict {
  readonly reason: string;
}

const forms = new WeakMap<JsonObject, StrictForm | NotStrict>();

/**
 * The strict form of a schema, by the vendor's page on structured outputs ("JSON Schema
 * limitations"): every object is closed, nothing is recursive, and what else the service cannot hold
 * (bounds, lengths, patterns) the vendor's own helper writes into the descriptions; it is still
 * checked when the arguments come. A schema that would lose a value that it allows has none: free
 * objects and maps cannot be said. Made once for each schema.
 */
export function toStrictForm(schema: JsonObject): StrictForm | NotStrict {
  let form = forms.get(schema);
  if (form === undefined) {
    form = makeForm(schema);
    forms.set(schema, form);
  }
  return form;
}

function makeForm(schema: JsonObject): StrictForm | NotStrict {
  const reading = new StrictReading(schema);
  const reason = reading.refusal(schema, "the root", []);
  if (reason !== undefined) return { reason };
  try {
    const strict = transformJSONSchema(schema) as JsonObject;
    return { schema: strict, optional: reading.optional, unions: reading.unions };
  } catch (cause) {
    return { reason: cause instanceof Error ? cause.message : String(cause) };
  }
}

const beyond = ["patternProperties", "allOf", "not", "if", "prefixItems"];

class StrictReading {
  optional = 0;
  unions = 0;
  readonly #root: JsonObject;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** Why a schema cannot be said, if so; `path` holds the definitions that it stands in. */
  refusal(schema: JsonValue, where: string, path: readonly string[]): string | undefined {
    if (!isJsonObject(schema)) return `${where} allows anything or nothing`;
    if (typeof schema["$ref"] === "string") return this.#ofReference(schema["$ref"], where, path);
    const odd = beyond.find((keyword) => keyword in schema);
    if (odd !== undefined) return `${where} has ${odd}`;
    if ("enum" in schema || "const" in schema) return ofLiterals(schema, where);
    const branches = schema["anyOf"] ?? schema["oneOf"];
    if (branches !== undefined) return this.#ofUnion(schema, branches, where, path);
    const { type } = schema;
    if (Array.isArray(type)) return this.#ofTypes(type, where);
    if (type === "object") return this.#ofObject(schema, where, path);
    if (type !== "array") return type === undefined ? `${where} has no type` : undefined;
    if (schema["items"] === undefined) return `${where} is a list of anything`;
    return this.refusal(schema["items"], `an item of ${where}`, path);
  }

  #ofReference(ref: string, where: string, path: readonly string[]): string | undefined {
    const name = /^#\/\$defs\/([^/%~]+)$/.exec(ref)?.[1];
    const definitions = this.#root["$defs"];
    const target = name !== undefined && isJsonObject(definitions) ? definitions[name] : undefined;
    if (name === undefined || target === undefined) return `${where} refers to "${ref}"`;
    if (path.includes(name)) return `"${ref}" is recursive`;
    return this.refusal(target, where, [...path, name]);
  }

  #ofUnion(schema: JsonObject, branches: JsonValue, where: string, path: readonly string[]) {
    if (!Array.isArray(branches)) return `${where} has no list of alternatives`;
    if ("properties" in schema || "items" in schema) return `${where} has alternatives and members`;
    this.unions++;
    for (const branch of branches) {
      const reason = this.refusal(branch, `an alternative of ${where}`, path);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  #ofTypes(types: readonly JsonValue[], where: string): string | undefined {
    this.unions++;
    const wide = types.find((type) => type === "object" || type === "array");
    return wide === undefined ? undefined : `${where} is one of several types, one of them ${wide}`;
  }

  #ofObject(schema: JsonObject, where: string, path: readonly string[]): string | undefined {
    const { additionalProperties, properties, required } = schema;
    if (additionalProperties !== undefined && additionalProperties !== false) {
      return `${where} takes members of any name`;
    }
    if (!isJsonObject(properties)) {
      return additionalProperties === false ? undefined : `${where} is an object of anything`;
    }
    const demanded: readonly JsonValue[] = Array.isArray(required) ? required : [];
    for (const [name, property] of Object.entries(properties)) {
      if (!demanded.includes(name)) this.optional++;
      const reason = this.refusal(property, `"${name}"`, path);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }
}

function ofLiterals(schema: JsonObject, where: string): string | undefined {
  const values = "const" in schema ? [schema["const"]] : schema["enum"];
  const plain =
    Array.isArray(values) &&
    values.every((value) => typeof value !== "object" || value === null) &&
    values.length > 0;
  return plain ? undefined : `${where} has a fixed value that is no text, number or truth value`;
}
