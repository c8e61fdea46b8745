import { ConfigurationError } from "../errors/configuration-error.js";
import type { JsonValue } from "../messages/json.js";

/** Deeper than any schema that a service accepts, and shallow enough for every stack. */
const maximumDepth = 256;

/**
 * A frozen deep copy of what must be JSON. Symbol keys are left behind: schema libraries keep
 * their own marks under them.
 *
 * @param what Names the value in error messages.
 * @throws ConfigurationError `schema_not_json` where JSON cannot say it, `schema_too_deep`.
 */
export function checkedJsonCopy(value: unknown, what: string): JsonValue {
  return copy(value, { what, path: [], ancestors: new Set() });
}

interface Place {
  readonly what: string;
  readonly path: string[];
  readonly ancestors: Set<object>;
}

function copy(value: unknown, place: Place): JsonValue {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") {
    if (Number.isFinite(value)) return value;
    throw notJson(place, `the number ${value}`);
  }
  if (typeof value !== "object") throw notJson(place, describe(value));
  if (place.ancestors.has(value)) throw notJson(place, "a reference to something around it");
  if (place.ancestors.size >= maximumDepth) {
    throw new ConfigurationError(
      "schema_too_deep",
      `The ${place.what} is nested deeper than ${maximumDepth} levels. Use $defs and $ref for what repeats.`,
    );
  }
  place.ancestors.add(value);
  const result = Array.isArray(value) ? copyArray(value, place) : copyObject(value, place);
  place.ancestors.delete(value);
  return Object.freeze(result);
}

function copyArray(source: readonly unknown[], place: Place): JsonValue[] {
  const result: JsonValue[] = [];
  for (let at = 0; at < source.length; at++) {
    place.path.push(String(at));
    result.push(copy(source[at], place));
    place.path.pop();
  }
  return result;
}

function copyObject(source: object, place: Place): { readonly [key: string]: JsonValue } {
  const prototype: unknown = Object.getPrototypeOf(source);
  // One step below null: a plain object, of this realm or another.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw notJson(place, `an instance of ${source.constructor?.name || "a class"}`);
  }
  const entries: [string, JsonValue][] = [];
  for (const [key, member] of Object.entries(source)) {
    place.path.push(key);
    entries.push([key, copy(member, place)]);
    place.path.pop();
  }
  // Defines its members, so that one named "__proto__" stays a member.
  return Object.fromEntries(entries);
}

function describe(value: unknown): string {
  return value === undefined ? "undefined" : `a ${typeof value}`;
}

function notJson(place: Place, found: string): ConfigurationError {
  const at = place.path.length === 0 ? "" : ` at /${place.path.map(escapePointer).join("/")}`;
  return new ConfigurationError(
    "schema_not_json",
    `The ${place.what} must be plain JSON; found ${found}${at}. Leave it out or say it with JSON Schema keywords.`,
  );
}

/** One step of a JSON pointer, as it is written. */
export function escapePointer(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** One step of a JSON pointer, as it is meant. */
export function unescapePointer(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
