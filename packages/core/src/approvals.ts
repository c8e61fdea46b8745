// Approvals as data, for whoever shows requests and takes decisions: a page, an inbox, a terminal.
// Needs no agent and no schema compiler.

export {
  type ApproveOptions,
  approve,
  type DecisionTerms,
  type DenyOptions,
  deny,
  parseDecision,
} from "./approvals/approval-response.js";
export {
  describeRequest,
  type PromptOptions,
  promptForDecisions,
} from "./approvals/console-prompter.js";
export { memorySpentRequests, type SpentRequests } from "./approvals/spent-requests.js";
export type { Terminal } from "./approvals/terminal.js";
export { ApprovalError, type ApprovalErrorCode } from "./errors/run-errors.js";
export type {
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  FunctionCallContent,
  Remember,
  RequestedTool,
  RequestPathStep,
  ToolTraits,
  ToolTrust,
} from "./messages/content.js";
export { foldUpdates, type UpdateFold } from "./messages/fold-updates.js";
export type { JsonObject, JsonValue } from "./messages/json.js";
export { type Message, textOf } from "./messages/message.js";
export { pending } from "./messages/requests.js";
export type { Update } from "./messages/update.js";
