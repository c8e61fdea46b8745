/** Where something is told must not be where the server ends: what is wrong with that is told elsewhere. */
export function harmless<Told extends readonly unknown[]>(
  listener: (...told: Told) => unknown,
  failed: (error: unknown) => void,
): (...told: Told) => void {
  return (...told) => {
    // Also where it returns a promise, which its type lets it do.
    new Promise((resolve) => resolve(listener(...told))).catch(failed);
  };
}
