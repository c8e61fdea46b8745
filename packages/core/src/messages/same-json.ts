/** Whether two JSON values say the same; members that are undefined count as absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  return sameMembers(a, b) && sameMembers(b, a);
}

function sameMembers(a: object, b: object): boolean {
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return Object.keys(one).every((key) => sameJson(one[key], other[key]));
}
