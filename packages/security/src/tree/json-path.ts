import type { JsonValue } from "@tunic/core";

/** One step down in a JSON tree: the name of a member, or the number of an item. */
export type PathStep = string | number;

/** What may stand in a written path: a step, or all members or all items at once. */
export type PathPart =
  | { readonly kind: "member"; readonly name: string }
  | { readonly kind: "item"; readonly index: number }
  | { readonly kind: "anyMember" }
  | { readonly kind: "anyItem" };

/** The parts of a written path, or what is wrong with it, in words that follow the path itself. */
export type PathReading =
  | { readonly parts: readonly PathPart[]; readonly problem?: undefined }
  | { readonly parts?: undefined; readonly problem: string };

/** The whole value, as a path. */
export const wholeValue = "$";

const name = String.raw`[\p{L}_$][\p{L}\p{N}_$-]*`;
const plainName = new RegExp(`^${name}$`, "u");
const part = new RegExp(
  String.raw`(?<dot>\.)?(?:(?<anyMember>\*)|(?<name>${name})|\[(?:(?<anyItem>\*)|(?<index>0|[1-9]\d*)|(?<quoted>"(?:[^"\\]|\\.)*"))\])`,
  "uy",
);

/**
 * A place in a JSON tree as text, such as `[0].body` or `a["odd.name"]`; the whole value is `$`.
 * Names of other signs than letters, digits, `_`, `$` and `-`, and those that begin with a digit or
 * a `-`, are quoted as JSON quotes texts.
 */
export function pathText(steps: readonly PathStep[]): string {
  if (steps.length === 0) return wholeValue;
  let text = "";
  for (const step of steps) {
    if (typeof step === "number") text += `[${step}]`;
    else if (!isPlain(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text;
}

/** The path to a place inside something that has a path itself. Both in the form of {@link pathText}. */
export function innerPath(outer: string, inner: string): string {
  if (inner === wholeValue) return outer;
  if (outer === wholeValue) return inner;
  return inner.startsWith("[") ? outer + inner : `${outer}.${inner}`;
}

/** Reads a path that leads to one place; undefined where the text is none. */
export function readPath(text: string): readonly PathStep[] | undefined {
  const { parts } = readParts(text);
  if (parts === undefined) return undefined;
  const steps: PathStep[] = [];
  for (const each of parts) {
    if (each.kind === "member") steps.push(each.name);
    else if (each.kind === "item") steps.push(each.index);
    else return undefined;
  }
  return steps;
}

/** What is at a path inside a value: own members and items only. Undefined where nothing is. */
export function valueAt(value: JsonValue, path: string): JsonValue | undefined {
  const steps = readPath(path);
  return steps === undefined ? undefined : valueAtSteps(value, steps);
}

function valueAtSteps(value: JsonValue, steps: readonly PathStep[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const step of steps) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, step))
      return undefined;
    if (Array.isArray(found) !== (typeof step === "number")) return undefined;
    found = (found as { readonly [key: PathStep]: JsonValue })[step];
  }
  return found;
}

/** Reads a path in which `*` may stand for all members and `[*]` for all items. */
export function readParts(text: string): PathReading {
  if (text === wholeValue) return { parts: [] };
  if (text === "") return { problem: `is empty; "${wholeValue}" is the whole value` };
  const parts: PathPart[] = [];
  part.lastIndex = 0;
  while (part.lastIndex < text.length) {
    const start = part.lastIndex;
    const groups = part.exec(text)?.groups;
    const read = groups && fits(groups, start) ? partOf(groups) : undefined;
    if (read === undefined) return { problem: problemAt(text, start) };
    parts.push(read);
  }
  return { parts };
}

type Groups = Readonly<Record<string, string | undefined>>;

/** A dot stands between a name and what is before it, and nowhere else. */
function fits(groups: Groups, start: number): boolean {
  const isName = groups["name"] !== undefined || groups["anyMember"] !== undefined;
  return (groups["dot"] !== undefined) === (isName && start > 0);
}

function partOf(groups: Groups): PathPart | undefined {
  const { anyMember, anyItem, index, quoted } = groups;
  if (anyMember !== undefined) return { kind: "anyMember" };
  if (anyItem !== undefined) return { kind: "anyItem" };
  if (index !== undefined) {
    const number = Number(index);
    return Number.isSafeInteger(number) ? { kind: "item", index: number } : undefined;
  }
  const named = quoted === undefined ? groups["name"] : unquoted(quoted);
  if (named === undefined || (quoted === undefined && !isPlain(named))) return undefined;
  return { kind: "member", name: named };
}

/** A lone `$` is the whole value. */
function isPlain(step: string): boolean {
  return step !== wholeValue && plainName.test(step);
}

function unquoted(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}

function problemAt(text: string, start: number): string {
  const rest = text.slice(start, start + 40);
  const where = start === 0 ? `begins with ${JSON.stringify(rest)}` : `has ${JSON.stringify(rest)}`;
  return `${where}${start === 0 ? "" : ` after ${JSON.stringify(text.slice(0, start))}`}; ${hintFor(rest)}`;
}

function hintFor(rest: string): string {
  if (/^\$[.[]/.test(rest)) return 'leave "$" out: paths begin with the first name or item';
  const digits = /^\.?(\d+)(?![^.[])/.exec(rest)?.[1];
  if (digits !== undefined) {
    return `write [${Number(digits)}] for an item, or ["${digits}"] for a member of that name`;
  }
  return 'write names with a dot between them, items as [0] or [*], all members as *, and other names quoted: a["odd name"]';
}
