import { copyJson, isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import { unescapePointer } from "./json-copy.js";
import type { SchemaViolation } from "./schema-violation.js";

/**
 * Arguments in which values of the wrong type, where one of the right type says exactly the same
 * (`"12"` and 12), are replaced by it, on a copy. Only what broke a `type` is touched, so text that
 * a schema takes as text stays text. Undefined when nothing can be done.
 */
export function coerceArguments(
  args: JsonObject,
  violations: readonly SchemaViolation[],
): JsonObject | undefined {
  let copy: JsonObject | undefined;
  for (const [path, wanted] of wantedTypes(violations)) {
    const steps = path.slice(1).split("/").map(unescapePointer);
    const value = valueAt(args, steps);
    const coerced = value === undefined ? undefined : coerce(value, wanted);
    if (coerced === undefined) continue;
    copy ??= copyJson(args);
    replaceAt(copy, steps, coerced);
  }
  return copy;
}

/**
 * Arguments without the properties that are null where the schema takes no null, on a copy: so models
 * say "not set", and a strict service makes them say it. What is then missing and required is null
 * again. Undefined when there is none such.
 *
 * @param check Says what is wrong with arguments.
 */
export function withoutNulls(
  args: JsonObject,
  violations: readonly SchemaViolation[],
  check: (args: JsonObject) => readonly SchemaViolation[],
): JsonObject | undefined {
  const paths = new Set(violations.map(({ path }) => path));
  const nulls = [...paths]
    .map((path) => path.slice(1).split("/").map(unescapePointer))
    .filter((steps) => steps.length > 0 && valueAt(args, steps) === null);
  if (nulls.length === 0) return undefined;
  const copy = copyJson(args);
  let removed = 0;
  for (const steps of nulls) if (removeAt(copy, steps)) removed++;
  if (removed === 0) return undefined;
  const found = check(copy);
  let restored = 0;
  for (const { path, keyword, property } of found) {
    if (keyword !== "required" || property === undefined) continue;
    const steps = [...(path === "" ? [] : path.slice(1).split("/").map(unescapePointer)), property];
    if (valueAt(args, steps) !== null) continue;
    replaceAt(copy, steps, null);
    restored++;
  }
  removed -= restored;
  if (removed > 1) removed -= putBack(copy, nullsInForms(violations, nulls), check);
  return removed > 0 ? copy : undefined;
}

/** The nulls below alternatives: what one form takes no null for, another one may. */
function nullsInForms(
  violations: readonly SchemaViolation[],
  nulls: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const forms = violations.flatMap(({ path, keyword }) =>
    keyword === "anyOf" || keyword === "oneOf" ? [path === "" ? [] : path.slice(1).split("/")] : [],
  );
  return nulls.filter((steps) =>
    forms.some(
      (form) =>
        form.length < steps.length && form.every((step, at) => unescapePointer(step) === steps[at]),
    ),
  );
}

/** Puts back each null that breaks nothing now that others are gone; returns how many that are. */
function putBack(
  copy: JsonObject,
  nulls: readonly (readonly string[])[],
  check: (args: JsonObject) => readonly SchemaViolation[],
): number {
  let put = 0;
  let wrong: number | undefined;
  for (const steps of nulls) {
    if (valueAt(copy, steps) !== undefined) continue;
    wrong ??= check(copy).length;
    replaceAt(copy, steps, null);
    if (check(copy).length > wrong) removeAt(copy, steps);
    else put++;
  }
  return put;
}

/** The types that would have fitted, by the path of what did not. */
function wantedTypes(violations: readonly SchemaViolation[]): Map<string, Set<string>> {
  const wanted = new Map<string, Set<string>>();
  for (const { path, keyword, schema } of violations) {
    if (keyword !== "type" || path === "") continue;
    const types = wanted.get(path) ?? new Set();
    for (const type of [schema["type"]].flat()) types.add(String(type));
    wanted.set(path, types);
  }
  for (const { path, keyword, matches } of violations) {
    // Fitting several forms where one is allowed is not a matter of types.
    if (matches !== undefined) wanted.delete(path);
    // Some form took the value's type and found something else wrong with it.
    if (!["type", "anyOf", "oneOf"].includes(keyword)) wanted.get(path)?.delete("null");
  }
  return wanted;
}

function coerce(value: JsonValue, wanted: ReadonlySet<string>): JsonValue | undefined {
  if (typeof value === "string") return coerceText(value, wanted);
  if (value === null || Array.isArray(value)) return undefined;
  if (typeof value !== "object" && wanted.has("string")) return String(value);
  return wanted.has("array") ? [value] : undefined;
}

function coerceText(text: string, wanted: ReadonlySet<string>): JsonValue | undefined {
  return textToScalar(text, wanted) ?? textToStructure(text, wanted);
}

function textToScalar(text: string, wanted: ReadonlySet<string>): JsonValue | undefined {
  const number = wanted.has("number") || wanted.has("integer") ? exactNumber(text) : undefined;
  if (number !== undefined && (wanted.has("number") || Number.isInteger(number))) return number;
  if (wanted.has("boolean") && (text === "true" || text === "false")) return text === "true";
  return undefined;
}

function textToStructure(text: string, wanted: ReadonlySet<string>): JsonValue | undefined {
  if (text === "null" && wanted.has("null") && !wanted.has("string")) return null;
  if (!wanted.has("array") && !wanted.has("object")) return undefined;
  const parsed = parseExactly(text);
  if (Array.isArray(parsed) && wanted.has("array")) return parsed;
  if (isJsonObject(parsed) && wanted.has("object")) return parsed;
  // A text that begins like a list is a list gone wrong, not one item.
  return wanted.has("array") && !text.trimStart().startsWith("[") ? [text] : undefined;
}

/** A JSON text as what it says; undefined when it is none or holds a number that would be rounded. */
function parseExactly(text: string): JsonValue | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g) ?? [];
  const exact = tokens.every((token) => token.startsWith('"') || exactNumber(token) !== undefined);
  return exact ? value : undefined;
}

/** The number that a text writes down as JSON does; undefined when it would have to be rounded. */
export function exactNumber(text: string): number | undefined {
  if (text.length > 400 || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) {
    return undefined;
  }
  const number = Number(text);
  if (!Number.isFinite(number) || digitsOf(text) !== digitsOf(String(number))) return undefined;
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? undefined : number;
}

/** A decimal number in one form: sign, digits without zeros around them, power of ten. */
function digitsOf(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return `${sign}0`;
  const power = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}

function valueAt(root: JsonValue, steps: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const step of steps) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = (value as JsonObject)[step];
  }
  return value;
}

/** Properties only: an item of a list has a place to keep. */
function removeAt(root: JsonValue, steps: readonly string[]): boolean {
  const parent = valueAt(root, steps.slice(0, -1));
  const last = steps.at(-1);
  return isJsonObject(parent) && last !== undefined && Reflect.deleteProperty(parent, last);
}

function replaceAt(root: JsonObject, steps: readonly string[], value: JsonValue): void {
  const parent = valueAt(root, steps.slice(0, -1));
  const last = steps.at(-1);
  if (typeof parent !== "object" || parent === null || last === undefined) return;
  // Defined, not assigned: a property may be named "__proto__".
  Object.defineProperty(parent, last, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
