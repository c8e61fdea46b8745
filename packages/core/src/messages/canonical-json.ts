/**
 * JSON with the members of every object in one order: two values that say the same have the same
 * text, and two that do not, do not. Members that are undefined count as absent.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value).flatMap(([key, member]) =>
    member === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(member)}`],
  );
  return `{${members.sort().join(",")}}`;
}
