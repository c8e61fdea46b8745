// The public surface of @tunic/security. What is named here is API; nothing else is.

export { digest } from "./audit/digest.js";
export type {
  ConfidentialityLabel,
  ContentLabel,
  IntegrityLabel,
  LabelInput,
} from "./labels/content-label.js";
export {
  combineLabels,
  createLabelLattice,
  defaultLattice,
  type LabelLattice,
  type LabelLatticeOptions,
} from "./labels/label-lattice.js";
