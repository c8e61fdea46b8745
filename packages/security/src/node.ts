// The public surface of @tunic/security/node. What is named here is API; nothing else is.

export { type ProcessSandboxOptions, processSandbox } from "./sandbox/process-sandbox.js";
export type {
  Sandbox,
  SandboxCommand,
  SandboxFile,
  SandboxOutcome,
} from "./sandbox/sandbox.js";
