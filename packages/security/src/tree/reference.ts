import { type JsonObject, type JsonValue, TunicError } from "@tunic/core";
import { type PathStep, pathText, readPath, wholeValue } from "./json-path.js";

/** Stands for a value that is kept elsewhere, or for a part of it. */
export interface Reference {
  /** Such as `v3`. */
  readonly id: string;
  /** The part, in the form of `pathText`; `$` for the whole value. */
  readonly path: string;
}

/** A reference among the arguments of a call. */
export interface ReferenceSlot extends Reference {
  /** Where it stands, in the form of `pathText`, such as `to[0]`. */
  readonly at: string;
  /** The name of the argument in which it stands. */
  readonly argument: string;
}

/** Arguments refer to something that cannot be found. */
export class UnknownReferenceError extends TunicError {
  readonly slot: ReferenceSlot;

  constructor(slot: ReferenceSlot) {
    super(
      "unknown_reference",
      `The argument ${JSON.stringify(slot.argument)} refers at ${slot.at} to something that is not there. ` +
        "Use a reference as it stands in a result, or write the value itself.",
    );
    this.slot = slot;
  }
}

/** Longer than any path that somebody writes. */
const longestReference = 4096;

/** What is nested deeper in arguments is data, whatever it looks like. */
const deepestReference = 100;

/** The id, and a path behind it: `v3.body`, `v3[0].name`, `v3["odd.name"]`. */
const form = /^(v[1-9]\d*)(?:$|([.[].*)$)/s;

/**
 * Reads a typed reference: a plain object with the one member `$ref`, whose text is `v`, a number and
 * perhaps a path. Everything else is data, such as text that looks like one, or `{ "$ref": "#/x" }`.
 */
export function asReference(value: unknown): Reference | undefined {
  if (typeof value !== "object" || value === null || !isPlainObject(value)) return undefined;
  if (!("$ref" in value) || Reflect.ownKeys(value).length !== 1) return undefined;
  if (!Object.hasOwn(value, "$ref")) return undefined;
  const { $ref: text } = value;
  if (typeof text !== "string" || text.length > longestReference) return undefined;
  const [, id, rest] = form.exec(text) ?? [];
  if (id === undefined) return undefined;
  if (rest === undefined) return { id, path: wholeValue };
  const steps = readPath(rest.startsWith(".") ? rest.slice(1) : rest);
  // A dot has to be followed by a name.
  const isMisplaced = rest.startsWith(".") && (rest[1] === "[" || rest === `.${wholeValue}`);
  if (steps === undefined || isMisplaced) return undefined;
  return { id, path: pathText(steps) };
}

/**
 * Writes a reference down, as {@link asReference} reads it.
 *
 * @param path In the form of `pathText`. Default: the whole value.
 */
export function referenceTo(id: string, path = wholeValue): { readonly $ref: string } {
  if (path === wholeValue) return { $ref: id };
  return { $ref: path.startsWith("[") ? id + path : `${id}.${path}` };
}

/**
 * The references in the arguments of a call, in their order. The arguments object itself is none,
 * texts are not looked into, and what is nested deeper than 100 levels is data.
 */
export function referencesIn(args: JsonObject): readonly ReferenceSlot[] {
  const found: ReferenceSlot[] = [];
  replaceReferences(args, (slot, value) => {
    found.push(slot);
    return value;
  });
  return found;
}

/**
 * Arguments with values instead of the references that {@link referencesIn} finds. One pass: a value
 * that has been put in is not looked at again. What does not change is shared with `args`; without a
 * reference they come back as they are.
 *
 * @param resolve Gives the value that a reference stands for; undefined when there is none. To say
 * whether the id or the path was wrong would tell something about what is hidden.
 * @throws UnknownReferenceError for the first one that stands for nothing.
 */
export function expandReferences(
  args: JsonObject,
  resolve: (id: string, path: string) => JsonValue | undefined,
): JsonObject {
  return replaceReferences(args, (slot) => {
    const value = resolve(slot.id, slot.path);
    if (value === undefined) throw new UnknownReferenceError(slot);
    return value;
  });
}

type Replace = (slot: ReferenceSlot, value: JsonValue) => JsonValue;

function replaceReferences(args: JsonObject, replace: Replace): JsonObject {
  return replaceInMembers(args, { path: [], replace });
}

interface Walk {
  /** From the arguments object to where the walk is. */
  readonly path: PathStep[];
  readonly replace: Replace;
}

function replaceIn(value: JsonValue, walk: Walk): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (walk.path.length > deepestReference) return value;
  if (Array.isArray(value)) return replaceInItems(value, walk);
  const reference = asReference(value);
  if (reference === undefined) return replaceInMembers(value as JsonObject, walk);
  const [argument] = walk.path;
  return walk.replace({ at: pathText(walk.path), argument: String(argument), ...reference }, value);
}

function replaceInMembers(object: JsonObject, walk: Walk): JsonObject {
  let copy: Record<string, JsonValue> | undefined;
  for (const key of Object.keys(object)) {
    const member = object[key];
    if (member === undefined) continue;
    walk.path.push(key);
    const replaced = replaceIn(member, walk);
    walk.path.pop();
    if (replaced === member) continue;
    // The copy owns every key of its source, "__proto__" too: to assign one changes that member.
    copy ??= { ...object };
    copy[key] = replaced;
  }
  return copy ?? object;
}

function replaceInItems(items: readonly JsonValue[], walk: Walk): readonly JsonValue[] {
  let copy: JsonValue[] | undefined;
  items.forEach((item, at) => {
    walk.path.push(at);
    const replaced = replaceIn(item, walk);
    walk.path.pop();
    if (replaced === item) return;
    copy ??= [...items];
    copy[at] = replaced;
  });
  return copy ?? items;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
