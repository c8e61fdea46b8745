import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import { hasOwnAddress, holdsSeveral, placeOf, slotForm } from "./schema-places.js";

/**
 * A copy of a schema whose pointers (`#/properties/a/items`) lead to where that stands once the places
 * for values have slots. A pointer at such a place itself leads to what the place takes besides references.
 *
 * @param root As it was before.
 */
export function movedReference(schema: JsonObject, root: JsonObject): Record<string, JsonValue> {
  const copy: Record<string, JsonValue> = { ...schema };
  for (const keyword of ["$ref", "$dynamicRef"]) {
    const pointer = copy[keyword];
    if (typeof pointer === "string") copy[keyword] = movedPointer(pointer, root);
  }
  return copy;
}

function movedPointer(reference: string, root: JsonObject): string {
  const hash = reference.indexOf("#/");
  const address = reference.slice(0, Math.max(hash, 0));
  if (hash < 0 || (address !== "" && address !== root["$id"])) return reference;
  const steps = reference.slice(hash + 2).split("/");
  let moved = `${address}#`;
  let at: JsonValue | undefined = root;
  while (at !== undefined && steps.length > 0) {
    const taken: Taken | undefined = hasMoved(at, root) ? stepInto(at, steps) : undefined;
    if (taken === undefined) break;
    moved += taken.moved;
    at = taken.to;
    steps.splice(0, taken.count);
  }
  return [moved, ...steps].join("/");
}

/** Whether something inside a schema may stand elsewhere now. */
function hasMoved(schema: JsonValue, root: JsonObject): schema is JsonObject {
  return isJsonObject(schema) && (schema === root || !hasOwnAddress(schema));
}

interface Taken {
  /** How many steps led there. */
  readonly count: number;
  /** The steps that lead there now. */
  readonly moved: string;
  readonly to: JsonValue | undefined;
}

/** The step to the next schema; undefined where that is none that could have moved. */
function stepInto(schema: JsonObject, steps: readonly string[]): Taken | undefined {
  const [first = "", second] = steps;
  const keyword = meant(first);
  const place = placeOf(keyword);
  if (place === undefined || place === "tests") return undefined;
  const under = member(schema, keyword);
  const several = holdsSeveral(keyword, under);
  if (several && second === undefined) return undefined;
  const to = several ? member(under, meant(second ?? "")) : under;
  const wrapped = place === "values" && to !== undefined && slotForm(to) === "around";
  const way = several ? `/${first}/${second}` : `/${first}`;
  return { count: several ? 2 : 1, moved: wrapped ? `${way}/anyOf/0` : way, to };
}

function member(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as JsonObject)[key];
}

/** A step as it is meant: decoded from its form in an address, and from that in a pointer. */
function meant(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // Not encoded, then.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
