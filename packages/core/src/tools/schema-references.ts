import { ConfigurationError } from "../errors/configuration-error.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import { unescapePointer } from "./json-copy.js";
import { dialectOf } from "./schema-dialect.js";
import { forEachSubschema } from "./subschemas.js";

/** Stands in where a schema has no `$id`; nobody can write a reference to it by accident. */
const ownAddress = "tunic-schema://root/";

/** Finds what the `$ref`s of one schema lead to: pointers, anchors and embedded `$id`s. */
export class SchemaReferences {
  readonly #root: JsonObject;
  /** Up to draft-07 everything beside a $ref means nothing, a $id too. */
  readonly #lonelyReferences: boolean;
  /** Schemas with an address of their own, by it. */
  readonly #resources = new Map<string, JsonValue>();
  readonly #anchors = new Map<string, JsonValue>();
  /** The address against which the references of a schema are read. */
  readonly #bases = new Map<JsonObject, string>();

  constructor(root: JsonObject) {
    this.#root = root;
    this.#lonelyReferences = dialectOf(root).dialect === "draft-07";
    this.#resources.set(ownAddress, root);
    this.#index(root, ownAddress);
  }

  /** What the `$ref` of a schema leads to; undefined where that is nothing in this schema. */
  targetOf(schema: JsonObject): JsonValue | undefined {
    const reference = schema["$ref"] ?? schema["$dynamicRef"] ?? schema["$recursiveRef"];
    if (typeof reference !== "string") return undefined;
    return this.#resolve(reference, this.#bases.get(schema) ?? ownAddress);
  }

  /**
   * Makes sure that every reference leads somewhere inside.
   *
   * @throws ConfigurationError `schema_unresolvable_reference`
   */
  check(what: string): void {
    for (const [schema, base] of this.#bases) {
      for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
        const reference = schema[keyword];
        if (typeof reference !== "string") continue;
        if (this.#resolve(reference, base) !== undefined) continue;
        throw new ConfigurationError(
          "schema_unresolvable_reference",
          `The ${what} have ${keyword} "${reference}", which is not in the schema. ` +
            'Put the schema it means under $defs and write "#/$defs/…"; nothing is loaded from elsewhere.',
        );
      }
    }
  }

  #index(schema: JsonValue, base: string): void {
    if (!isJsonObject(schema) || this.#bases.has(schema)) return;
    let own = base;
    const id = this.#lonelyReferences && "$ref" in schema ? undefined : schema["$id"];
    // Up to draft-07 a $id that is a fragment is an anchor.
    if (typeof id === "string" && id.startsWith("#")) this.#anchors.set(base + id, schema);
    else if (typeof id === "string" && id !== "") {
      own = withoutHash(address(id, base) ?? base);
      this.#resources.set(own, schema);
    }
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const anchor = schema[keyword];
      if (typeof anchor === "string") this.#anchors.set(`${own}#${anchor}`, schema);
    }
    this.#bases.set(schema, own);
    forEachSubschema(schema, (member) => this.#index(member, own));
  }

  #resolve(reference: string, base: string): JsonValue | undefined {
    const hash = reference.indexOf("#");
    const place = hash < 0 ? reference : reference.slice(0, hash);
    const fragment = hash < 0 ? "" : decoded(reference.slice(hash + 1));
    const absolute = place === "" ? base : withoutHash(address(place, base) ?? place);
    const resource = this.#resources.get(absolute);
    if (resource === undefined || fragment === undefined) return undefined;
    if (fragment === "") return resource;
    if (!fragment.startsWith("/")) return this.#anchors.get(`${absolute}#${fragment}`);
    return this.#follow(resource, fragment);
  }

  #follow(start: JsonValue, pointer: string): JsonValue | undefined {
    let value: JsonValue | undefined = start;
    for (const step of pointer.slice(1).split("/").map(unescapePointer)) {
      if (typeof value !== "object" || value === null) return undefined;
      if (!Object.hasOwn(value, step)) return undefined;
      value = (value as { readonly [key: string]: JsonValue })[step];
    }
    // A place that is no schema by its position may still be one by being pointed at.
    if (isJsonObject(value) && value !== this.#root) this.#index(value, ownAddress);
    return typeof value === "boolean" || isJsonObject(value) ? value : undefined;
  }
}

function address(reference: string, base: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined;
}

function withoutHash(href: string): string {
  const hash = href.indexOf("#");
  return hash < 0 ? href : href.slice(0, hash);
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
