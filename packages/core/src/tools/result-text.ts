import { toBase64 } from "../messages/make-content.js";
import { loadedChecks } from "./compiled-schema.js";

/** Deeper than data that anybody reads, and shallow enough for every stack. */
const maximumDepth = 500;
/** Shared parts are written out each time; this ends what would never fit into memory. */
const maximumNodes = 2_000_000;
const terms = { depth: maximumDepth, nodes: maximumNodes, toBase64 };

/**
 * Any value as text for a model. What JSON can say comes out as `JSON.stringify` writes it; what it
 * cannot say (maps, sets, dates, bytes, big numbers, cycles, functions …) is written out too
 * instead of getting lost. Never throws.
 */
export function resultText(value: unknown): string {
  try {
    if (isReadablePlain(value)) return JSON.stringify(value);
    // A result comes of a call, and a call's arguments were checked: what it takes is loaded by then.
    const text = loadedChecks()?.oddValueText(value, terms);
    if (text !== undefined) return text;
  } catch {
    // Nobody can read it.
  }
  return "(the result could not be turned into text)";
}

function isReadablePlain(value: unknown): boolean {
  try {
    return isPlain(value, 0, { left: maximumNodes });
  } catch {
    // A getter or a proxy that throws.
    return false;
  }
}

/** Whether `JSON.stringify` says a value without losing anything. */
function isPlain(value: unknown, depth: number, nodes: { left: number }): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  // Cycles end here too.
  if (typeof value !== "object" || depth > maximumDepth || --nodes.left < 0) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) {
    // Places without a member count, too: a list may claim to have four billion of them.
    nodes.left -= value.length;
    return (
      prototype === Array.prototype &&
      nodes.left >= 0 &&
      value.every((member) => member === undefined || isPlain(member, depth + 1, nodes))
    );
  }
  if (prototype !== Object.prototype && prototype !== null) return false;
  const members = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(members)) {
    const member = members[key];
    if (member !== undefined && !isPlain(member, depth + 1, nodes)) return false;
  }
  return true;
}
