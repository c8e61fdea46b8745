import { isJsonObject } from "@tunic/core";

/**
 * What came over the wire, before anybody has looked at it: compatible servers leave members out,
 * send null, or send another kind of value than the published schema says.
 */
export type WireRecord = { readonly [member: string]: unknown };

/** Whether a value is an object in the JSON sense: no array, no null. */
export const isRecord: (value: unknown) => value is WireRecord = isJsonObject;

/** The member's object, or an empty one where it is anything else. */
export function recordAt(record: WireRecord, member: string): WireRecord {
  const value = record[member];
  return isRecord(value) ? value : nothing;
}

/** The member's text, or "" where it is anything else. */
export function textAt(record: WireRecord, member: string): string {
  const value = record[member];
  return typeof value === "string" ? value : "";
}

/** The member's list, or an empty one where it is anything else. */
export function listAt(record: WireRecord, member: string): readonly unknown[] {
  const value = record[member];
  return Array.isArray(value) ? value : none;
}

const nothing: WireRecord = Object.freeze({});
const none: readonly unknown[] = Object.freeze([]);

/**
 * The beginning of a value as JSON, for messages. What can be read deeply nested may be too deep to be
 * written: then it is said in words.
 *
 * @param longest In characters. Default: all of it.
 */
export function shownJson(value: unknown, longest?: number): string {
  try {
    return (JSON.stringify(value) ?? "nothing").slice(0, longest);
  } catch {
    return "(nested too deeply to be shown)";
  }
}
