import type { HandedDown } from "../run/run.js";
import type { RunOptions } from "./agent-options.js";

/** A symbol of this module alone: nobody else can say any of it. */
const handed: unique symbol = Symbol("tunic.handed-down");

/** Options for a run that works for a call of the run around it. */
export function handDown(options: RunOptions, down: HandedDown): RunOptions {
  return { ...options, [handed]: down } as RunOptions;
}

export function handedDown(options: RunOptions): HandedDown | undefined {
  return (options as { readonly [handed]?: HandedDown })[handed];
}
