import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import { mergedParts } from "./strict-all-of.js";
import { checkAlternatives } from "./strict-alternatives.js";
import { checkPresence, onlyRequires } from "./strict-presence.js";
import { StrictReferences } from "./strict-references.js";
import { refuse } from "./strict-refusal.js";
import { orNull, strictScalar, strictValues } from "./strict-values.js";
import {
  describedBy,
  listUnder,
  namedUnder,
  type TypeName,
  typesOf,
  wordsOf,
} from "./strict-words.js";

/** Keywords that change the shape of what is valid in a way that strict form cannot say. */
const unsayable = [
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "dependencies",
  "prefixItems",
  "$dynamicRef",
  "$recursiveRef",
] as const;

/** Writes one schema in strict form. Throws a `StrictRefusal` where it has none. */
export class StrictConversion {
  readonly #root: JsonObject;
  readonly #references: StrictReferences;
  /** Schemas whose `allOf` is being merged: meeting one again would never end. */
  readonly #merging = new Set<JsonObject>();

  constructor(root: JsonObject) {
    this.#root = root;
    this.#references = new StrictReferences(root);
  }

  convert(): JsonObject {
    const root = this.#references.follow(this.#root, "");
    this.#references.isRoot(root);
    const made = this.#rootObject(root);
    const definitions: [string, JsonObject][] = [];
    for (let next = this.#references.next(); next; next = this.#references.next()) {
      const [name, schema] = next;
      definitions.push([name, this.#schema(schema, `/$defs/${name}`)]);
    }
    return {
      ...made,
      ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }),
    };
  }

  #rootObject(schema: JsonObject): JsonObject {
    if ("$ref" in schema || "allOf" in schema) {
      return this.#merged(withoutReference(schema), "", (whole) => this.#rootObject(whole), schema);
    }
    for (const keyword of ["anyOf", "oneOf"]) {
      if (keyword in schema && !onlyRequires(listUnder(schema, keyword))) {
        refuse("", `has ${keyword}: strict mode takes no alternatives there`);
      }
    }
    if ("enum" in schema || "const" in schema) refuse("", "lists its values");
    if (!typesOf(schema).includes("object")) refuse("", "is no object");
    this.#refuseUnsayable(schema, "");
    return this.#object(schema, "");
  }

  #schema(schema: JsonValue, path: string): JsonObject {
    if (!isJsonObject(schema)) return refuse(path, "allows anything, or nothing");
    this.#refuseUnsayable(schema, path);
    if (typeof schema["$id"] === "string") refuse(path, "has an $id of its own");
    if ("$ref" in schema) return this.#reference(schema, path);
    if ("allOf" in schema) return this.#merged(schema, path, (whole) => this.#schema(whole, path));
    const union = ["anyOf", "oneOf"].filter((keyword) => keyword in schema);
    if (union.length > 1) refuse(path, "has both anyOf and oneOf");
    const [keyword] = union;
    if (keyword !== undefined && !onlyRequires(listUnder(schema, keyword))) {
      return this.#alternatives(schema, keyword, path);
    }
    if ("enum" in schema || "const" in schema) return strictValues(schema, path);
    return this.#typed(schema, path);
  }

  #refuseUnsayable(schema: JsonObject, path: string): void {
    for (const keyword of unsayable) {
      if (keyword in schema) refuse(path, `has ${keyword}`);
    }
    if (namedUnder(schema, "patternProperties").length > 0) refuse(path, "has patternProperties");
    if (isJsonObject(schema["unevaluatedProperties"])) refuse(path, "has unevaluatedProperties");
  }

  #typed(schema: JsonObject, path: string): JsonObject {
    const types = typesOf(schema);
    const others = types.filter((type) => type !== "null");
    const [only] = others;
    if (types.length === 0) return refuse(path, "says no type, so that it allows anything");
    if (only === undefined) return { type: "null", ...describedBy(schema, []) };
    if (others.length === 1) {
      const made = this.#ofType(only, schema, path);
      return types.length > 1 ? orNull(made) : made;
    }
    const { title: _, description: __, default: ___, examples: ____, ...rest } = schema;
    return {
      ...describedBy(schema, []),
      anyOf: [
        ...others.map((type) => this.#ofType(type, rest, path)),
        ...(types.length > others.length ? [{ type: "null" }] : []),
      ],
    };
  }

  #ofType(type: TypeName, schema: JsonObject, path: string): JsonObject {
    if (type === "object") return this.#object(schema, path);
    if (type !== "array") return strictScalar(type, schema);
    const { items, minItems, maxItems } = schema;
    if (items === undefined || Array.isArray(items)) {
      return refuse(path, "is a list that does not say what all of its items are");
    }
    return {
      type,
      ...describedBy(schema, [
        ...(schema["uniqueItems"] === true ? ["uniqueItems"] : []),
        "contains",
        "minContains",
        "maxContains",
      ]),
      items: this.#schema(items, `${path}/items`),
      ...(typeof minItems === "number" && { minItems }),
      ...(typeof maxItems === "number" && { maxItems }),
    };
  }

  #object(schema: JsonObject, path: string): JsonObject {
    const { additionalProperties = schema["unevaluatedProperties"] } = schema;
    const members = namedUnder(schema, "properties");
    if (additionalProperties !== undefined && additionalProperties !== false) {
      refuse(path, "is open: it takes members of any name");
    }
    if (path !== "" && members.length === 0 && additionalProperties !== false) {
      refuse(path, "is an object that says no members, so that it takes any");
    }
    const required = new Set(listUnder(schema, "required"));
    for (const name of required) {
      if (members.some(([each]) => each === name)) continue;
      refuse(path, `requires ${JSON.stringify(name)} and does not say what it is`);
    }
    checkPresence(schema, this.#references, path);
    const made = members.flatMap(([name, member]) => {
      const place = `${path}/properties/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      // What is never allowed is never sent.
      if (member === false && !required.has(name)) return [];
      const strict = this.#schema(member, place);
      return [[name, required.has(name) ? strict : orNull(strict)] as const];
    });
    return {
      type: "object",
      ...describedBy(schema, [
        "minProperties",
        "maxProperties",
        "dependentRequired",
        "propertyNames",
      ]),
      properties: Object.fromEntries(made),
      required: made.map(([name]) => name),
      additionalProperties: false,
    };
  }

  #reference(schema: JsonObject, path: string): JsonObject {
    const besides = this.#references.besides(schema);
    if (besides.length > 0) {
      const parts = withoutReference(schema);
      return this.#merged(parts, path, (whole) => this.#schema(whole, path), schema);
    }
    const reference = { $ref: this.#references.pointerFor(schema, path) };
    const described = describedBy(schema, []);
    // The service takes nothing beside a $ref.
    return Object.keys(described).length > 0 ? { ...described, anyOf: [reference] } : reference;
  }

  #merged(
    schema: JsonObject,
    path: string,
    convert: (whole: JsonObject) => JsonObject,
    key = schema,
  ): JsonObject {
    if (this.#merging.has(key)) return refuse(path, "contains itself by way of allOf");
    this.#merging.add(key);
    const made = convert(mergedParts(schema, this.#references, path));
    this.#merging.delete(key);
    return made;
  }

  #alternatives(schema: JsonObject, keyword: string, path: string): JsonObject {
    const { type } = schema;
    const beside = wordsOf(schema).filter((word) => word !== keyword && word !== "type");
    if (beside.length > 0) refuse(path, `has ${beside.join(", ")} beside ${keyword}`);
    const branches = listUnder(schema, keyword).map((branch) => {
      if (!isJsonObject(branch)) return refuse(path, `has an alternative that allows anything`);
      const inherits = type !== undefined && !("type" in branch) && !("$ref" in branch);
      return inherits ? { ...branch, type } : branch;
    });
    checkAlternatives(branches, keyword === "oneOf", this.#references, path);
    return {
      ...describedBy(schema, []),
      anyOf: branches.map((branch, at) => this.#schema(branch, `${path}/${keyword}/${at}`)),
    };
  }
}

/** A schema with its `$ref`, which counts like the others, among the parts of its `allOf`. */
function withoutReference(schema: JsonObject): JsonObject {
  const { $ref, ...rest } = schema;
  return $ref === undefined ? schema : { ...rest, allOf: [...listUnder(rest, "allOf"), { $ref }] };
}
