import type { JsonObject, JsonValue } from "@tunic/core";
import type { ToolFlow } from "../../src/index.js";
import type { LabelInput } from "../../src/labels/content-label.js";
import { isTainted, joined, type Tag, tagOf, top, untrusted } from "./tag.js";

/** A call of a trace: what the model wrote, and what the tool gave back, where it ran and did not fail. */
export interface Action {
  readonly callId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly result?: JsonValue | undefined;
}

/** What ids stand for: a part of a call's result. */
export type Variables = Readonly<Record<string, { value: JsonValue; at: string }>>;

/** A value in a call's arguments. */
export interface Leaf {
  readonly path: readonly string[];
  readonly value: JsonValue;
  readonly tag: Tag;
}

/** Whether a call is one of the tools that come with the package. */
export const isOwn = ({ tool }: Action): boolean =>
  /^(inspect_variable|quarantined_llm)$/.test(tool);

/** Finds what an id such as `v3.name` stands for; undefined for nothing. */
type Resolve = (text: string) => { readonly value: JsonValue; readonly tag: Tag } | undefined;

/** Every value of the arguments, with what ids stand for in their place; undefined where one stands for nothing. */
export function leavesOf(
  call: Action,
  from: Tag,
  ids: Variables,
  known: Readonly<Record<string, Tag>>,
): readonly Leaf[] | undefined {
  const { args } = call;
  const resolve: Resolve = (text) => {
    const [id = "", name] = text.split(".");
    const variable = ids[id];
    const tag = variable && known[variable.at];
    const value =
      variable && (name === undefined ? variable.value : memberOf(variable.value, name));
    return value === undefined || tag === undefined ? undefined : { value, tag };
  };
  const found = isOwn(call)
    ? [args["variable"] ?? args["refs"] ?? []].flat().map((id) => {
        const stored = resolve(String(id));
        return stored && { path: [], ...stored };
      })
    : Object.entries(args).flatMap(([name, value]) => leavesIn(value, [name], from, resolve));
  return found.every((leaf) => leaf !== undefined) ? found : undefined;
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as JsonObject)[name]
    : undefined;
}

/** @param resolve For what the model has written; what an id stands for is data. */
function leavesIn(
  value: JsonValue,
  path: readonly string[],
  tag: Tag,
  resolve: Resolve | undefined,
): readonly (Leaf | undefined)[] {
  const reference = resolve && referenceIn(value);
  if (reference !== undefined) {
    const found = resolve?.(reference);
    return found ? leavesIn(found.value, path, found.tag, undefined) : [undefined];
  }
  if (typeof value !== "object" || value === null) return [{ path, value, tag }];
  const members = Object.entries(value);
  // That a list is empty is no word of the model's, unless names lead to it.
  const counts = members.length === 0 && (resolve === undefined || path.length > 1);
  if (counts) return [{ path, value, tag }];
  return members.flatMap(([name, each]) =>
    leavesIn(each as JsonValue, [...path, name], tag, resolve),
  );
}

function referenceIn(value: JsonValue): string | undefined {
  const [[name, text] = [], more] =
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value)
      : [];
  return name === "$ref" &&
    more === undefined &&
    typeof text === "string" &&
    /^v[1-9]\d*(\.\w+)?$/.test(text)
    ? text
    : undefined;
}

export function keysOf(
  templates: readonly string[] = [],
  leaves: readonly Leaf[] = [],
): readonly string[] {
  const key = leaves
    .filter(({ path: [name] }) => name === "key")
    .map(({ path, value }) => [path, value]);
  return templates.map((template) => `${template}${JSON.stringify(key)}`);
}

/** What is seen of a result, and what is hidden, with their labels. */
interface Shown {
  readonly visible: readonly Tag[];
  readonly kept: readonly (readonly [string, Tag])[];
}

export function shown(
  { result }: Action,
  flow: ToolFlow | undefined,
  base: Tag,
  isVisible: (tag: Tag) => boolean,
): Shown {
  const tagAt = (path: string): Tag => joined(base, declared(flow, path));
  if (result === undefined) {
    const tag = joined(tagAt("$"), untrusted);
    return isVisible(tag) ? { visible: [tag], kept: [] } : { visible: [], kept: [["error", tag]] };
  }
  const visible: Tag[] = [];
  const kept: (readonly [string, Tag])[] = [];
  const walk = (value: JsonValue, path: string): void => {
    const nodes = nodesIn(value, path);
    if (!isVisible(tagAt(path))) kept.push([path, joined(...nodes.map(([at]) => tagAt(at)))]);
    else {
      visible.push(tagAt(path));
      for (const [at, each] of membersOf(value, path)) walk(each, at);
    }
  };
  walk(result, "$");
  return { visible, kept };
}

/** The tools of the package itself: one shows what the other only makes something of. */
export function ownResult(
  { tool, args }: Action,
  from: Tag,
  found: readonly Leaf[] | undefined,
): Shown {
  if (found === undefined) return { visible: [], kept: [] };
  const all = joined(from, ...found.map(({ tag }) => tag));
  if (tool === "inspect_variable") return { visible: [all], kept: [] };
  // Small values add up, and an answer is as small as its form or what it was made of.
  const sum = found.reduce((bits, { tag }) => bits + Math.max(0, tag.taint), 0);
  const most = isTainted(from) ? Number.POSITIVE_INFINITY : sum;
  const bits = formsOf(args["schema"]).map((each) => Math.min(each, most));
  return {
    visible: [],
    kept: bits.map((taint) => ["$", isTainted(all) ? { ...all, taint } : all]),
  };
}

/** The bits that each value of an answer can hold. */
function formsOf(schema: JsonValue | undefined): readonly number[] {
  const { type, enum: choices, properties } = (schema ?? {}) as JsonObject;
  if (type === "boolean") return [1];
  if (Array.isArray(choices)) return [Math.log2(choices.length)];
  if (type === "object") return Object.values(properties as JsonObject).flatMap(formsOf);
  return [Number.POSITIVE_INFINITY];
}

/** Places of hidden parts: by call and path, with a number where a path occurs again. */
export function numbered<Item>(
  callId: string | undefined,
  parts: readonly (readonly [path: string | undefined, Item])[],
): readonly (readonly [string, Item])[] {
  return parts.map(([path, item], index) => {
    const before = parts.slice(0, index).filter(([other]) => other === path).length;
    return [`${callId} ${path}${before > 0 ? ` #${before}` : ""}`, item];
  });
}

function membersOf(value: JsonValue, path: string): readonly (readonly [string, JsonValue])[] {
  if (typeof value !== "object" || value === null) return [];
  const at = path === "$" ? "" : path;
  if (Array.isArray(value)) return value.map((each: JsonValue, index) => [`${at}[${index}]`, each]);
  return Object.entries(value as JsonObject).map(([name, each]) => [
    at ? `${at}.${name}` : name,
    each,
  ]);
}

function nodesIn(value: JsonValue, path: string): readonly (readonly [string, JsonValue])[] {
  return [[path, value], ...membersOf(value, path).flatMap(([at, each]) => nodesIn(each, at))];
}

/** The label that the policy declares for a part: that of the longest pattern that leads to it. */
function declared(flow: ToolFlow | undefined, path: string): Tag {
  if (flow === undefined) return top;
  const { result = "untrusted" } = flow;
  if (typeof result === "string") return tagOf(result);
  const place = path.replace(/\[\d+\]/g, "[*]");
  const fits = Object.entries(result as Record<string, LabelInput>).filter(
    ([pattern]) =>
      pattern === "$" ||
      place === pattern ||
      place.startsWith(`${pattern}.`) ||
      place.startsWith(`${pattern}[`),
  );
  const [, label = "untrusted"] = fits.sort(([a], [b]) => b.length - a.length)[0] ?? [];
  return tagOf(label);
}
