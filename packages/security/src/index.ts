// The public surface of @tunic/security. What is named here is API; nothing else is.

export { digest } from "./audit/digest.js";
export {
  type FlowAudit,
  type FlowAuditCheck,
  type FlowAuditEntry,
  type FlowAuditInput,
  type FlowAuditKind,
  type FlowAuditSink,
  type MemoryFlowAuditOptions,
  memoryFlowAudit,
  verifyFlowAudit,
} from "./audit/flow-audit.js";
export type {
  ConfidentialityLabel,
  ContentLabel,
  IntegrityLabel,
  LabelInput,
} from "./labels/content-label.js";
export type { LabelKey, LabelSecret } from "./labels/label-keys.js";
export {
  combineLabels,
  createLabelLattice,
  defaultLattice,
  type LabelLattice,
  type LabelLatticeOptions,
} from "./labels/label-lattice.js";
export { isSealed, sealLabel } from "./labels/label-seal.js";
