import { ConfigurationError } from "../errors/configuration-error.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import { escapePointer, unescapePointer } from "./json-copy.js";
import { dialectOf } from "./schema-dialect.js";
import { forEachSubschema } from "./subschemas.js";

/** Stands in where a schema has no `$id`; nobody can write a reference to it by accident. */
const ownAddress = "tunic-schema://root/";

const keywords = ["$ref", "$dynamicRef", "$recursiveRef"];

/** A schema and the JSON pointer of its place. */
interface Located {
  readonly schema: JsonValue;
  readonly pointer: string;
}

/** Finds what the `$ref`s of one schema lead to: pointers, anchors and embedded `$id`s. */
export class SchemaReferences {
  /** Up to draft-07 everything beside a $ref means nothing, a $id too. */
  readonly #lonelyReferences: boolean;
  /** Schemas with an address of their own, by it. */
  readonly #resources = new Map<string, Located>();
  readonly #anchors = new Map<string, Located>();
  /** The address against which the references of a schema are read. */
  readonly #bases = new Map<JsonObject, string>();

  constructor(root: JsonObject) {
    this.#lonelyReferences = dialectOf(root).dialect === "draft-07";
    const located = { schema: root, pointer: "" };
    this.#resources.set(ownAddress, located);
    this.#index(located, ownAddress);
  }

  /** Whether some reference means different things on different ways to it. */
  get dynamic(): boolean {
    return [...this.#bases.keys()].some(
      (schema) =>
        typeof schema["$dynamicRef"] === "string" || typeof schema["$recursiveRef"] === "string",
    );
  }

  /** What the reference of a schema leads to; undefined where that is nothing in here. */
  targetOf(schema: JsonObject): JsonValue | undefined {
    const reference = schema["$ref"] ?? schema["$dynamicRef"] ?? schema["$recursiveRef"];
    if (typeof reference !== "string") return undefined;
    return this.#resolve(reference, this.#baseOf(schema))?.schema;
  }

  /** The `$ref` of a schema, written as a pointer from the root. */
  pointerOf(schema: JsonObject): string | undefined {
    const reference = schema["$ref"];
    if (typeof reference !== "string") return undefined;
    const target = this.#resolve(reference, this.#baseOf(schema));
    return target === undefined
      ? undefined
      : `#${encodeURI(target.pointer).replaceAll("#", "%23")}`;
  }

  /**
   * Makes sure that every reference leads somewhere inside.
   *
   * @throws ConfigurationError `schema_unresolvable_reference`
   */
  check(what: string): void {
    // Grows while it is read: a place that a reference leads to may hold further ones.
    for (const [schema, base] of this.#bases) {
      for (const keyword of keywords) {
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

  #baseOf(schema: JsonObject): string {
    return this.#bases.get(schema) ?? ownAddress;
  }

  #index(located: Located, base: string): void {
    const { schema, pointer } = located;
    if (!isJsonObject(schema) || this.#bases.has(schema)) return;
    const own = this.#register(schema, located, base);
    this.#bases.set(schema, own);
    forEachSubschema(schema, (member, steps) => {
      const place = steps.map((step) => `/${escapePointer(step)}`).join("");
      this.#index({ schema: member, pointer: pointer + place }, own);
    });
  }

  /** Writes down the address and the anchors of a schema. */
  #register(schema: JsonObject, located: Located, base: string): string {
    const id = this.#lonelyReferences && "$ref" in schema ? undefined : schema["$id"];
    let own = base;
    // Up to draft-07 a $id that is a fragment is an anchor.
    if (typeof id === "string" && id.startsWith("#")) this.#anchors.set(base + id, located);
    else if (typeof id === "string" && id !== "") {
      own = withoutHash(address(id, base) ?? base);
      this.#resources.set(own, located);
    }
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const anchor = schema[keyword];
      if (typeof anchor === "string") this.#anchors.set(`${own}#${anchor}`, located);
    }
    return own;
  }

  #resolve(reference: string, base: string): Located | undefined {
    const hash = reference.indexOf("#");
    const place = hash < 0 ? reference : reference.slice(0, hash);
    const fragment = hash < 0 ? "" : decoded(reference.slice(hash + 1));
    const absolute = place === "" ? base : withoutHash(address(place, base) ?? place);
    const resource = this.#resources.get(absolute);
    if (resource === undefined || fragment === undefined) return undefined;
    if (fragment === "") return resource;
    if (!fragment.startsWith("/")) return this.#anchors.get(`${absolute}#${fragment}`);
    return this.#follow(resource, fragment, absolute);
  }

  #follow(start: Located, pointer: string, base: string): Located | undefined {
    let value: JsonValue | undefined = start.schema;
    for (const step of pointer.slice(1).split("/").map(unescapePointer)) {
      if (typeof value !== "object" || value === null) return undefined;
      if (!Object.hasOwn(value, step)) return undefined;
      value = (value as { readonly [key: string]: JsonValue })[step];
    }
    if (typeof value !== "boolean" && !isJsonObject(value)) return undefined;
    const target = { schema: value, pointer: start.pointer + pointer };
    // A place that is no schema by its position may still be one by being pointed at.
    this.#index(target, base);
    return target;
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
