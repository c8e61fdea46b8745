import type { ContentLabel, LabelInput } from "../../src/labels/content-label.js";

/** A label as the specification has it: bits of untrusted data, level, and who may read it. */
export interface Tag {
  /** -1: trusted; else how many bits an attacker may have put in; `Infinity`: any number. */
  readonly taint: number;
  readonly level: number;
  /** Absent: all. */
  readonly readers?: readonly string[];
}

export const bottom: Tag = { taint: -1, level: 0 };

export const untrusted: Tag = { taint: Infinity, level: 0 };

export const top: Tag = { taint: Infinity, level: 2, readers: [] };

export const levels: readonly string[] = ["public", "private", "user_identity"];

export const isTainted = ({ taint }: Tag): boolean => taint >= 0;

/** The least tag that is above all of these. */
export function joined(...tags: readonly Tag[]): Tag {
  return tags.reduce(joinedTwo, bottom);
}

function joinedTwo(a: Tag, b: Tag): Tag {
  const { readers = b.readers } = a;
  const tag = { taint: Math.max(a.taint, b.taint), level: Math.max(a.level, b.level) };
  if (readers === undefined) return tag;
  return { ...tag, readers: readers.filter((name) => b.readers?.includes(name) ?? true) };
}

/** What is made of several small values may say as much as all of them. */
export function unbounded(tag: Tag): Tag {
  return isTainted(tag) ? { ...tag, taint: Number.POSITIVE_INFINITY } : tag;
}

/** Whether what is `a` may go where `b` may. */
export function isBelow(a: Tag, b: Tag): boolean {
  const { taint, level, readers } = joined(a, b);
  return taint === b.taint && level === b.level && readers?.length === b.readers?.length;
}

/** The tag of a label as it is written; what does not say that it is trusted is not. */
export function tagOf(label: LabelInput): Tag {
  const {
    integrity,
    confidentiality = "public",
    readers,
    capacity = Infinity,
  }: Partial<ContentLabel> = typeof label === "string" ? { integrity: label } : label;
  const taint = integrity === "trusted" ? -1 : capacity;
  const tag = { taint, level: levels.indexOf(confidentiality) };
  return readers === undefined ? tag : { ...tag, readers };
}
