/**
 * What JSON cannot say, written out for a model. Loaded with what checks arguments; what is loaded at
 * once anyway is handed in.
 */

/** Where a value is cut, as deep as this and after so many parts, and how bytes are said. */
export interface OddValueTerms {
  readonly depth: number;
  readonly nodes: number;
  toBase64(this: void, bytes: Uint8Array): string;
}

/** A value that `JSON.stringify` would lose something of, as text. */
export function oddValueText(value: unknown, terms: OddValueTerms): string {
  const plain = new PlainCopy(terms).of(value, 0);
  if (typeof plain === "string") return plain;
  return JSON.stringify(plain) ?? "null";
}

/** Copies a value into what JSON can say. */
class PlainCopy {
  readonly #terms: OddValueTerms;
  readonly #ancestors = new Set<object>();
  #nodes = 0;

  constructor(terms: OddValueTerms) {
    this.#terms = terms;
  }

  of(value: unknown, depth: number): unknown {
    this.#nodes++;
    switch (typeof value) {
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "bigint":
        return value.toString();
      case "symbol":
        return `[symbol ${value.description ?? ""}]`.replace(" ]", "]");
      case "function":
        return functionPlaceholder(value);
      case "object":
        return value === null ? null : this.#ofObject(value, depth);
      default:
        return value;
    }
  }

  #ofObject(value: object, depth: number): unknown {
    if (this.#ancestors.has(value)) return "[circular]";
    if (depth > this.#terms.depth) return `[cut: nested deeper than ${this.#terms.depth} levels]`;
    if (this.#nodes > this.#terms.nodes) return "[cut: too much data]";
    this.#ancestors.add(value);
    try {
      return this.#ofKnown(value, depth + 1);
    } catch {
      // A proxy, say, that lets nobody look.
      return "[unreadable]";
    } finally {
      this.#ancestors.delete(value);
    }
  }

  #ofKnown(value: object, depth: number): unknown {
    if (Array.isArray(value)) return this.#ofItems(value, depth);
    if (value instanceof Map) return this.#ofMap(value, depth);
    if (value instanceof Set) return this.#ofItems([...value], depth);
    if (value instanceof Error) return this.#ofError(value, depth);
    const known = wellKnown(value, this.#terms.toBase64);
    // A number in an object may be none that JSON can say, and a big one is never.
    if (known !== undefined) return this.of(known, depth);
    const { toJSON } = value as { readonly toJSON?: unknown };
    if (typeof toJSON === "function") return this.#ofToJson(() => toJSON.call(value, ""), depth);
    const keys = Object.keys(value);
    const tag = Object.prototype.toString.call(value);
    // A promise, a generator: nothing to be seen from outside.
    if (keys.length === 0 && tag !== "[object Object]") return tag;
    return this.#ofMembers(value, keys, depth);
  }

  #ofItems(items: readonly unknown[], depth: number): unknown[] {
    const result: unknown[] = [];
    // By number: a gap reads as undefined, which JSON says as null.
    for (let at = 0; at < items.length; at++) {
      if (this.#nodes > this.#terms.nodes) {
        result.push("[cut: too much data]");
        break;
      }
      result.push(this.#member(() => items[at], depth) ?? null);
    }
    return result;
  }

  #ofMap(map: ReadonlyMap<unknown, unknown>, depth: number): unknown {
    const entries = [...map];
    if (!entries.every(([key]) => typeof key === "string")) return this.#ofItems(entries, depth);
    return Object.fromEntries(
      entries.map(([key, member]) => [key, this.of(member, depth) ?? null]),
    );
  }

  #ofError(error: Error, depth: number): unknown {
    const own = this.#ofMembers(error, Object.keys(error), depth) as Record<string, unknown>;
    delete own["stack"];
    return { name: error.name, message: error.message, ...own };
  }

  #ofToJson(toJson: () => unknown, depth: number): unknown {
    let value: unknown;
    try {
      value = toJson();
    } catch {
      return "[toJSON failed]";
    }
    return this.of(value, depth);
  }

  #ofMembers(value: object, keys: readonly string[], depth: number): object {
    const members = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      keys.flatMap((key) => {
        const member = this.#member(() => members[key], depth);
        return member === undefined ? [] : [[key, member] as const];
      }),
    );
  }

  #member(read: () => unknown, depth: number): unknown {
    let value: unknown;
    try {
      value = read();
    } catch {
      return "[getter failed]";
    }
    return this.of(value, depth);
  }
}

/** Objects of the platform whose value is not in their members. */
function wellKnown(value: object, toBase64: OddValueTerms["toBase64"]): unknown {
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  }
  if (value instanceof RegExp) return String(value);
  for (const Boxed of [Number, String, Boolean, BigInt]) {
    if (value instanceof Boxed) return value.valueOf();
  }
  const bytes = bytesOf(value);
  if (bytes === undefined) return undefined;
  return `(${bytes.length} bytes, base64) ${toBase64(bytes)}`;
}

function bytesOf(value: object): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  const shared = typeof SharedArrayBuffer !== "undefined" && value instanceof SharedArrayBuffer;
  return shared || value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
}

function functionPlaceholder(value: unknown): string {
  try {
    const { name } = value as { readonly name?: unknown };
    return typeof name === "string" && name !== "" ? `[function ${name}]` : "[function]";
  } catch {
    return "[function]";
  }
}
