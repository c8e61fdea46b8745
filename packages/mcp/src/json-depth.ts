/**
 * Whether JSON is nested deeper than so many levels. What is too deep breaks whoever walks through it with a function
 * that calls itself, `JSON.stringify` included: a session that holds it could not be stored any more.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  // Of JSON all members are its own. Every result is looked at, so no list of them is made.
  for (const key in value) {
    if (isDeeperThan(value[key as keyof typeof value], levels - 1)) return true;
  }
  return false;
}
