import type { Content, Message } from "@tunic/core";
import type { ContentLabel, LabelInput } from "../labels/content-label.js";
import { defaultLattice, type LabelLattice } from "../labels/label-lattice.js";
import { writtenLabel } from "./content-labels.js";

/**
 * The label that stands at a content or message; undefined where there is none. It tells what was stamped
 * there, for pages and logs: whoever decides by it has to know where the message comes from.
 *
 * @param lattice For a policy with its own `levels`: `createLabelLattice({ levels })`.
 */
export function labelOf(
  part: Content | Message,
  lattice: LabelLattice = defaultLattice,
): ContentLabel | undefined {
  const written = writtenLabel(part);
  return lattice.authentic(written) ?? lattice.read(written);
}

/**
 * A copy of a content or message with a label of its own: how code says what it puts into a request. A
 * handler that adds retrieved text or a summary labels it with what it was made of; without a label it counts
 * as the worst. The label counts in this process only, and is lost in JSON unless it is sealed on the way.
 *
 * @param lattice For a policy with its own `levels`: `createLabelLattice({ levels })`.
 * @throws ConfigurationError `label` for a label that is none.
 */
export function withLabel<Part extends Content | Message>(
  part: Part,
  label: LabelInput,
  lattice: LabelLattice = defaultLattice,
): Part {
  const own = lattice.authentic(label) ?? lattice.label(label);
  return { ...part, additionalProperties: { ...part.additionalProperties, label: own as never } };
}
