import type { ContentLabel } from "./content-label.js";
import type { LabelLattice } from "./label-lattice.js";

/** As confidential, but trusted. */
export function asTrusted(lattice: LabelLattice, label: ContentLabel): ContentLabel {
  if (label.integrity === "trusted") return label;
  const { capacity: _, ...rest } = label;
  return lattice.label({ ...rest, integrity: "trusted" });
}
