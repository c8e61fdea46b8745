import type { FunctionResultContent } from "../messages/content.js";

/**
 * What one run has done about calls that waited for approval. A handler may run the inside again with
 * the same answers, or return something else than what came out of it: what was approved once is run
 * once all the same.
 */
export class Settlement<Pause = unknown> {
  /** The requests that this run has taken for itself. */
  readonly taken = new Set<string>();
  /** The ids of the calls that have begun. */
  readonly begun = new Set<string>();
  /** By call id: what it came to, or where it is at. */
  readonly outcomes = new Map<string, KeptOutcome<Pause>>();
}

/** A call's result, or that it waits for further answers. */
export type KeptOutcome<Pause = unknown> =
  | { readonly result: FunctionResultContent; readonly pause?: undefined }
  | { readonly result?: undefined; readonly pause: Pause };
