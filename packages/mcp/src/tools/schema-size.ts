import { isJsonObject, type JsonObject } from "@tunic/core";

/** Of a schema in which each reference is replaced by what it leads to. */
const mostParts = 20_000;

/**
 * Why a server's schema is not to be checked against, or undefined. A schema of a few lines can refer to itself so
 * that every check of arguments goes through billions of parts: each level twice through the one below. What refers
 * to itself in a circle ends with the arguments, and is let through.
 */
export function whyUncheckable(schema: JsonObject): string | undefined {
  const sizes = new Map<unknown, number>();
  let isOdd = false;

  function led(key: string, reference: string): unknown {
    const target = targetOf(schema, reference);
    isOdd ||= key !== "$ref" || target === undefined;
    return target;
  }

  /** References inside would be read against it, and lead to other places than they seem to. */
  function hasAddress(part: object): boolean {
    return part !== schema && "$id" in part && typeof part.$id === "string";
  }

  function sizeOf(part: unknown): number {
    if (typeof part !== "object" || part === null) return 0;
    const known = sizes.get(part);
    if (known !== undefined) return known;
    // A circle.
    sizes.set(part, 1);
    let size = 1;
    isOdd ||= hasAddress(part);
    for (const [key, member] of Object.entries(part)) {
      size += sizeOf(isReference(key, member) ? led(key, member) : member);
    }
    sizes.set(part, size);
    return size;
  }

  if (sizeOf(schema) > mostParts) {
    return `with its references written out, its schema has more than ${mostParts} parts`;
  }
  return isOdd ? 'its schema has a reference that is not a $ref to "#" or "#/…"' : undefined;
}

function isReference(key: string, member: unknown): member is string {
  return typeof member === "string" && /^\$(dynamicRef|recursiveRef|ref)$/.test(key);
}

/** What a reference in the same schema leads to; an object without members where nothing is there. */
function targetOf(schema: JsonObject, reference: string): unknown {
  if (reference === "#") return schema;
  if (!reference.startsWith("#/")) return undefined;
  let at: unknown = schema;
  for (const step of reference.slice(2).split("/")) {
    const name = unescaped(step);
    if (Array.isArray(at)) at = at[Number(name)];
    else at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at ?? {};
}

function unescaped(step: string): string {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
