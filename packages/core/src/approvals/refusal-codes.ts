/** The codes of results that say: not allowed. They count as no failure of the call. */
export const refusalCodes: ReadonlySet<string | undefined> = new Set([
  "approval_denied",
  "approval_expired",
  "approval_stale",
  "approval_used",
]);
