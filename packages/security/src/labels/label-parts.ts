/**
 * A label as the numbers that the arithmetic needs: an order along each of three axes, and nothing that
 * has to be looked up.
 */
export interface LabelParts {
  /** How untrusted: -1 is trusted, else the capacity in bits; without one, Infinity. */
  readonly taint: number;
  /** The place of the confidentiality among the levels. */
  readonly level: number;
  /** Sorted, each once. Undefined: everybody. */
  readonly readers: readonly string[] | undefined;
}

/** The taint of what is trusted: below that of untrusted data in which there are no bits of an attacker. */
export const TRUSTED = -1;

const memberNames: ReadonlySet<string> = new Set([
  "integrity",
  "confidentiality",
  "readers",
  "capacity",
]);

/**
 * Reads the members of a label: its parts, or what is wrong with it, as the end of a sentence. Only own
 * members count, and none that a label does not have.
 *
 * @param stored Whether it must say its integrity and its confidentiality itself. What is written by hand
 * takes them from `bottom`; what comes from outside must not become trusted by leaving something out.
 */
export function readLabelParts(
  value: object,
  levels: readonly string[],
  { stored }: { readonly stored: boolean },
): LabelParts | string {
  const bottom = stored ? {} : { integrity: "trusted", confidentiality: levels[0] };
  const given = Object.entries(value).filter(([, member]) => member !== undefined);
  const members = new Map<string, unknown>([...Object.entries(bottom), ...given]);
  for (const name of members.keys()) {
    if (!memberNames.has(name)) {
      return `the member ${shown(name)}: a label has ${[...memberNames].join(", ")}`;
    }
  }
  const taint = readTaint(members.get("integrity"), members.get("capacity"));
  if (typeof taint === "string") return taint;
  const confidentiality = members.get("confidentiality");
  const level = typeof confidentiality === "string" ? levels.indexOf(confidentiality) : -1;
  if (level === -1) {
    return `the confidentiality ${shown(confidentiality)}: the levels are ${levels.join(", ")}`;
  }
  const readers = members.get("readers");
  if (readers !== undefined && !isNames(readers)) {
    return `the readers ${shown(readers)}: they are a list of names; leave them out for everybody`;
  }
  return { taint, level, readers: readers && Object.freeze([...new Set(readers)].sort()) };
}

function readTaint(integrity: unknown, capacity: unknown): number | string {
  if (integrity !== "trusted" && integrity !== "untrusted") {
    return `the integrity ${shown(integrity)}: it is "trusted" or "untrusted"`;
  }
  if (capacity === undefined) return integrity === "trusted" ? TRUSTED : Number.POSITIVE_INFINITY;
  if (typeof capacity !== "number" || !Number.isFinite(capacity) || capacity < 0) {
    return `the capacity ${shown(capacity)}: it is a number of bits, 0 or more; leave it out for any number`;
  }
  if (integrity === "trusted") {
    return "a capacity on trusted data: it says how much of untrusted data an attacker can have chosen";
  }
  return capacity + 0; // -0 becomes 0: they are one label
}

/** The least parts that are above both. */
export function joinParts(a: LabelParts, b: LabelParts): LabelParts {
  return {
    taint: Math.max(a.taint, b.taint),
    level: Math.max(a.level, b.level),
    readers: commonReaders(a.readers, b.readers),
  };
}

/** Whether what is `a` may go where `b` may: as trusted, as little confidential, for as many readers. */
export function isBelow(a: LabelParts, b: LabelParts): boolean {
  return a.taint <= b.taint && a.level <= b.level && allowsAll(a.readers, b.readers);
}

/** A text that two parts share if they say the same, and only then. */
export function partsKey({ taint, level, readers }: LabelParts): string {
  return `${taint} ${level} ${readers === undefined ? "" : JSON.stringify(readers)}`;
}

type Readers = readonly string[] | undefined;

function commonReaders(a: Readers, b: Readers): Readers {
  if (a === undefined || a === b) return b;
  if (b === undefined) return a;
  const common: string[] = [];
  walk(a, b, (name) => common.push(name));
  if (common.length === a.length) return a;
  return common.length === b.length ? b : Object.freeze(common);
}

/** Whether `a` holds everybody in `b`. */
function allowsAll(a: Readers, b: Readers): boolean {
  if (a === undefined || a === b) return true;
  if (b === undefined || b.length > a.length) return false;
  let found = 0;
  walk(a, b, () => found++);
  return found === b.length;
}

/** Calls back for each name that both have; both are sorted. */
function walk(a: readonly string[], b: readonly string[], onBoth: (name: string) => void): void {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const left = a[i] ?? "";
    const right = b[j] ?? "";
    if (left === right) onBoth(left);
    if (left <= right) i++;
    if (right <= left) j++;
  }
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string" && name !== "");
}

/** A value for an error message, cut short. */
export function shown(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, 100);
  } catch {
    return `a ${typeof value}`; // with a cycle, or a bigint
  }
}
