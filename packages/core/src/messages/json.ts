/** What JSON can say. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** Whether a value is an object in the JSON sense: no array, no null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A deep copy of JSON that shares nothing with its source. */
export function copyJson<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as Value;
  const source = value as Record<string, unknown>;
  const copy: Record<PropertyKey, unknown> = {};
  for (const key of Object.keys(source)) setOwn(copy, key, copyJson(source[key]));
  return copy as Value;
}

/** Like {@link copyJson}; a vendor's raw object under a symbol comes along by reference: it is not ours to copy. */
export function copyWithRaw<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyWithRaw) as Value;
  const source = value as Record<PropertyKey, unknown>;
  const copy: Record<PropertyKey, unknown> = {};
  for (const key of Object.keys(source)) setOwn(copy, key, copyWithRaw(source[key]));
  for (const key of Object.getOwnPropertySymbols(source)) copy[key] = source[key];
  return copy as Value;
}

function setOwn(target: Record<PropertyKey, unknown>, key: string, value: unknown): void {
  // An assignment to "__proto__" would change the prototype instead of adding the member.
  if (key === "__proto__") {
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else target[key] = value;
}
