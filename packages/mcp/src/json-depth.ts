/**
 * Whether JSON is nested deeper than so many levels. What is too deep breaks whoever walks through it with a function
 * that calls itself, `JSON.stringify` included: a session that holds it could not be stored any more.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const member of Object.values(value)) if (isDeeperThan(member, levels - 1)) return true;
  return false;
}
