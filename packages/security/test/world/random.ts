/** A generator of pseudo-random numbers: the same seed, the same numbers. */
export interface Random {
  /** A whole number below `limit`. */
  below(limit: number): number;
  /** One of a list, which is not empty. */
  pick<Item>(items: readonly Item[]): Item;
}

/** @param seed Any text; every sign of it counts. */
export function randomOf(seed: string): Random {
  let state = 0x811c9dc5;
  for (let at = 0; at < seed.length; at++) {
    state = Math.imul(state ^ seed.charCodeAt(at), 0x01000193) >>> 0;
  }
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number): number => next() % limit;
  return { below, pick: (items) => items[below(items.length)] as (typeof items)[number] };
}
