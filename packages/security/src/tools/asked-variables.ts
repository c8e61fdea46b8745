import type { StoredVariable } from "../flow/flow-memory.js";
import type { CallRecord, FlowRun } from "../flow/flow-run.js";
import type { ContentLabel } from "../labels/content-label.js";
import { innerPath, wholeValue } from "../tree/json-path.js";
import { asReference } from "../tree/reference.js";

/** What ids in the arguments of a call stand for. */
export interface AskedVariables {
  /** Undefined where one of them stands for nothing. */
  readonly found: readonly StoredVariable[] | undefined;
  /** Of all values that it depends on what was found. */
  readonly label: ContentLabel;
}

/**
 * Looks up ids such as `v3.body`. What calls of the same batch have hidden is not there yet, whichever of them
 * is faster: the model cannot have seen it.
 */
export function askedVariables(
  { variables, settings: { lattice } }: FlowRun,
  { nextVariable }: CallRecord,
  texts: readonly string[],
): AskedVariables {
  const found: StoredVariable[] = [];
  let label = lattice.bottom;
  for (const text of texts) {
    const reference = asReference({ $ref: text });
    if (reference === undefined || Number(reference.id.slice(1)) >= nextVariable) continue;
    const whole = variables.get(reference.id);
    if (whole === undefined) continue;
    label = lattice.join(label, lattice.read(whole.label) ?? lattice.top);
    const stored = variables.get(reference.id, reference.path);
    if (stored === undefined) continue;
    const path = innerPath(stored.origin.path ?? wholeValue, reference.path);
    found.push({ ...stored, origin: { variable: reference.id, ...stored.origin, path } });
  }
  return { found: found.length === texts.length ? found : undefined, label };
}
