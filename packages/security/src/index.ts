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
export { explain } from "./flow/decisions.js";
export { expandedArguments } from "./flow/expand.js";
export type { FlowDecision } from "./flow/flow-decision.js";
export type { FlowMode, FlowOptions, HideMode, SourceLabels } from "./flow/flow-options.js";
export { type HiddenValue, hiddenValues } from "./flow/hidden-values.js";
export { labelOf, withLabel } from "./flow/label-of.js";
export { labelTracking } from "./flow/label-tracking.js";
export { declassify, endorse, type LoweringTerms } from "./flow/lower-label.js";
export { policyEnforcement } from "./flow/policy-enforcement.js";
export { type FlowTrace, flowTrace, simulate, type TracedCall } from "./flow/simulate.js";
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
export { checkPolicy } from "./policy/check-policy.js";
export type {
  AnswerFlow,
  ArgumentFlow,
  CallRule,
  EndorseRule,
  FlowEffect,
  FlowPolicy,
  FlowRemedy,
  FlowRule,
  FlowViolation,
  ToolFlow,
  ValueOrigin,
} from "./policy/flow-policy.js";
export type { PolicyProblem } from "./policy/policy-problem.js";
export { toolHash, toolKey } from "./policy/tool-identity.js";
export type {
  Sandbox,
  SandboxCommand,
  SandboxFile,
  SandboxOutcome,
} from "./sandbox/sandbox.js";
export { type SecureAgentOptions, secureAgent } from "./secure-agent.js";
export {
  SPOTLIGHTING_INSTRUCTIONS,
  type SpotlightingOptions,
  spotlighting,
} from "./spotlighting/spotlighting.js";
export { isLabeled, type Labeled, labeled } from "./tree/labeled.js";
export type { ContentVariableStore, VariableLimits } from "./variables/variable-store.js";
