import type { RunOptions } from "./agent-options.js";

/**
 * Says that an input comes from the run around: what it approves was looked at there, and is used
 * once there. A symbol of this module alone: nobody else can say it.
 */
const fromParent: unique symbol = Symbol("tunic.from-parent");

/** Options for a run whose input was looked at by the run around it. */
export function handDown(options: RunOptions): RunOptions {
  return { ...options, [fromParent]: true } as RunOptions;
}

export function isFromParent(options: RunOptions): boolean {
  return (options as { readonly [fromParent]?: boolean })[fromParent] === true;
}
