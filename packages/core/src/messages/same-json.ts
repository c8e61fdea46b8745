/** Whether two JSON values say the same; members that are undefined count as absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  return sameMembers(a, b) && sameMembers(b, a);
}

function sameMembers(a: object, b: object): boolean {
  return Object.keys(a).every((key) => sameJson(memberOf(a, key), memberOf(b, key)));
}

/** Its own one: every object inherits some, such as the one called "__proto__". */
function memberOf(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}
