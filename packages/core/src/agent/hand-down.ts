import type { RunOptions } from "./agent-options.js";

/** What a run inside a call is told of the run around it. */
export interface HandedDown {
  /** The call that the run works for. */
  readonly parentCallId: string;
  /** The input holds answers: what they approve was looked at in the run around, and is used once there. */
  readonly trusted: boolean;
}

/** A symbol of this module alone: nobody else can say any of it. */
const handed: unique symbol = Symbol("tunic.handed-down");

/** Options for a run that works for a call of the run around it. */
export function handDown(options: RunOptions, down: HandedDown): RunOptions {
  return { ...options, [handed]: down } as RunOptions;
}

export function handedDown(options: RunOptions): HandedDown | undefined {
  return (options as { readonly [handed]?: HandedDown })[handed];
}
