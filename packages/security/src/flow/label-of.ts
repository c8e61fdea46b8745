import type { Content, Message } from "@tunic/core";
import type { ContentLabel, LabelInput } from "../labels/content-label.js";
import { defaultLattice, type LabelLattice } from "../labels/label-lattice.js";
import { writtenLabel } from "./content-labels.js";

/**
 * The label that stands at a content or message; undefined where there is none. It tells what was stamped
 * there, for pages and logs: whoever decides by it has to know where the message comes from. With a message
 * count its contents, with a result what is in it: a hidden value that an answer shows is as untrusted as ever.
 *
 * @param lattice For a policy with its own `levels`: `createLabelLattice({ levels })`.
 */
export function labelOf(
  part: Content | Message,
  lattice: LabelLattice = defaultLattice,
): ContentLabel | undefined {
  const inner = "contents" in part ? part.contents : [];
  const labels = inner.flatMap(
    (content) => labelOf(content, lattice) ?? unreadable(content, lattice),
  );
  const written = writtenLabel(part);
  const own = lattice.authentic(written) ?? lattice.read(written);
  if (own === undefined && (written !== undefined || labels.length === 0)) return undefined;
  return lattice.joinAll(own === undefined ? labels : [own, ...labels]);
}

/** What says that it has a label, and none that can be read, may be anything. */
function unreadable(content: Content, { top }: LabelLattice): readonly ContentLabel[] {
  return writtenLabel(content) === undefined ? [] : [top];
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
