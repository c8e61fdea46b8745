import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";

/**
 * What a reference leads to inside of a schema: by a pointer (`#/$defs/x`), an anchor, or the `$id` of a
 * schema in it. Undefined where that is nothing.
 */
export function referenceTarget(root: JsonObject, reference: string): JsonValue | undefined {
  const hash = reference.indexOf("#");
  const place = hash < 0 ? reference : reference.slice(0, hash);
  const fragment = hash < 0 ? "" : decoded(reference.slice(hash + 1));
  const resource = place === "" ? root : find(root, ({ $id }) => isAddress($id, place));
  if (resource === undefined || fragment === "") return resource;
  if (fragment.startsWith("/")) return follow(resource, fragment);
  return find(
    resource,
    ({ $anchor, $dynamicAnchor, $id }) =>
      $anchor === fragment || $dynamicAnchor === fragment || $id === `#${fragment}`,
  );
}

function isAddress(id: JsonValue | undefined, place: string): boolean {
  if (typeof id !== "string") return false;
  return id.replace(/#$/, "") === place || id.endsWith(`/${place}`);
}

function follow(start: JsonObject, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = start;
  for (const step of pointer.slice(1).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}

/** The first schema of which something holds, depth first. */
function find(value: JsonValue, holds: (schema: JsonObject) => boolean): JsonObject | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (isJsonObject(value) && holds(value)) return value;
  for (const member of Object.values<JsonValue>(value)) {
    const found = find(member, holds);
    if (found) return found;
  }
  return undefined;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
