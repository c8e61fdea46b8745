import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import { refuse } from "./strict-refusal.js";
import { wordsOf } from "./strict-words.js";

/** What the references of one schema lead to, and the names that the strict form has for it. */
export class StrictReferences {
  readonly #root: JsonObject;
  /** Up to draft-07 everything beside a `$ref` means nothing. */
  readonly #lonely: boolean;
  readonly #names = new Map<JsonValue, string>();
  readonly #unwritten: JsonValue[] = [];

  constructor(root: JsonObject) {
    this.#root = root;
    this.#lonely = /draft-0[3-7]\//.test(String(root["$schema"] ?? ""));
    this.#names.set(root, "#");
  }

  /** What stands beside a `$ref` and counts. */
  besides(schema: JsonObject): string[] {
    return this.#lonely ? [] : wordsOf(schema).filter((keyword) => keyword !== "$ref");
  }

  /** What a schema stands for: itself, or what its lone `$ref` leads to. */
  follow(schema: JsonObject, path: string): JsonObject {
    let followed: JsonValue = schema;
    const seen = new Set<JsonValue>();
    while (isJsonObject(followed) && "$ref" in followed && this.besides(followed).length === 0) {
      if (seen.has(followed)) refuse(path, "is a $ref that leads to itself");
      seen.add(followed);
      followed = this.targetOf(followed, path);
    }
    return isJsonObject(followed) ? followed : refuse(path, "allows anything, or nothing");
  }

  /** The reference to write instead of a schema's `$ref`. */
  pointerFor(schema: JsonObject, path: string): string {
    this.follow(schema, path);
    const target = this.targetOf(schema, path);
    const name = this.#names.get(target) ?? this.#name(target, String(schema["$ref"]));
    return name === "#" ? name : `#/$defs/${name}`;
  }

  /** Has the references to a schema lead to the root. */
  isRoot(schema: JsonObject): void {
    this.#names.set(schema, "#");
  }

  /** The next schema that was referred to and is not written yet. */
  next(): readonly [name: string, schema: JsonValue] | undefined {
    const schema = this.#unwritten.shift();
    if (schema === undefined) return undefined;
    return [this.#names.get(schema) ?? "", schema];
  }

  /** What a schema's `$ref` leads to, whatever stands beside it. */
  targetOf(schema: JsonObject, path: string): JsonValue {
    const reference = schema["$ref"];
    if (typeof reference !== "string" || !/^#($|\/)/.test(reference)) {
      return refuse(
        path,
        `refers to ${JSON.stringify(reference)}, which is no pointer from the root`,
      );
    }
    let value: JsonValue | undefined = this.#root;
    for (const step of reference.slice(1).split("/").slice(1))
      value = memberAt(value, readStep(step));
    return value ?? refuse(path, `refers to ${reference}, which is not there`);
  }

  #name(target: JsonValue, reference: string): string {
    const wished = /([^/]*)$/.exec(reference)?.[1]?.replaceAll(/[^a-zA-Z0-9_-]/g, "_") || "part";
    const taken = new Set(this.#names.values());
    let name = wished;
    for (let count = 2; taken.has(name); count++) name = `${wished}_${count}`;
    this.#names.set(target, name);
    this.#unwritten.push(target);
    return name;
  }
}

function memberAt(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as JsonObject)[name];
}

function readStep(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // Not encoded, then.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
