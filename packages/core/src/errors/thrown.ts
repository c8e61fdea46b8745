/** What a thrown value says. Anything can be thrown: a null object, a proxy, an error that throws when it is read. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "unknown error";
  }
}

/** `instanceof` for what may be a proxy that lets nobody look. */
export function isA<Kind>(
  value: unknown,
  kind: abstract new (...args: never[]) => Kind,
): value is Kind {
  try {
    return value instanceof kind;
  } catch {
    return false;
  }
}
