import { isJsonObject } from "@tunic/core";

/** A JSON object of a body that nobody has checked yet. */
export type WireRecord = { readonly [member: string]: unknown };

/** What is wrong with a part of a body. Each text begins with the path of the part. */
export type Problems = readonly string[];

/** Whether a value is an object in the JSON sense: no array, no null. */
export const isRecord: (value: unknown) => value is WireRecord = isJsonObject;

/** The value as an object; an empty one where it is something else (which the schema reports). */
export function asRecord(value: unknown): WireRecord {
  return isRecord(value) ? value : nothing;
}

/** The objects of a list; what is no list and no object is left to the schema. */
export function recordsOf(value: unknown): readonly WireRecord[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}

/** The members of an object, each with a value that may be anything. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(asRecord(value));
}

/** The value where it is text, else "". */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Whether somebody has written a value; `null` stands for none in all of these protocols. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Names that stand more than once in a list. */
export function repeated(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}

/** Problems of each element of a list, with its place before them. */
export function eachWith<Item>(
  path: string,
  items: readonly Item[],
  check: (item: Item, at: number) => Problems,
): Problems {
  return items.flatMap((item, at) => under(`${path}[${at}]`, check(item, at)));
}

/** The same problems, one level down. */
export function under(path: string, problems: Problems): Problems {
  return problems.map((problem) => `${path}${/^[.[]/.test(problem) ? "" : ": "}${problem}`);
}

/** A value in a message: whole where it is short. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

const nothing: WireRecord = Object.freeze({});
