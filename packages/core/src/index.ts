// The public surface of @tunic/core. What is named here is API; nothing else is.

// Agents and the loop

export { Agent, type AgentEvents } from "./agent/agent.js";
export type { AgentToolOptions } from "./agent/agent-as-tool.js";
export type { AgentOptions, ModelOptions, RunOptions } from "./agent/agent-options.js";
export { AgentResponse } from "./agent/agent-response.js";
export type { AgentInput } from "./agent/read-input.js";
export type { FunctionInvocationConfiguration } from "./invocation/function-invocation-configuration.js";
export { FunctionInvocationLayer } from "./invocation/function-invocation-layer.js";

// Approvals; what a page needs is in @tunic/core/approvals, too

export type { ApprovalKey, ApprovalSecret } from "./approvals/approval-keys.js";
export type { ApprovalBatchMode, ApprovalOptions } from "./approvals/approval-options.js";
export {
  type ApproveOptions,
  approve,
  type DecisionTerms,
  type DenyOptions,
  deny,
  parseDecision,
} from "./approvals/approval-response.js";
export { memorySpentRequests, type SpentRequests } from "./approvals/spent-requests.js";
export {
  type ApprovalPreset,
  type AutomaticDecision,
  type ToolApproval,
  type ToolApprovalOptions,
  type ToolApprovalRule,
  toolApproval,
} from "./approvals/tool-approval.js";
export { ApprovalError, type ApprovalErrorCode } from "./errors/run-errors.js";
export { pending } from "./messages/requests.js";
export type { RememberedDecision } from "./session/remembered-decision.js";
export { paused } from "./tools/tool-pause.js";

// Chat clients

export type {
  ChatClient,
  ChatClientMetadata,
  ChatRequest,
  ChatResponse,
  Outcome,
  ResponseMetadata,
} from "./chat/chat-client.js";
export type { ChatOptions, Instruction, ToolChoice } from "./chat/chat-options.js";
export type { RateLimit, RateLimits } from "./chat/rate-limits.js";
export { type Answer, readValue } from "./chat/read-value.js";
export type { ResponseFormat, ValueOf } from "./chat/response-format.js";
export { type ResponseStream, type StreamOptions, streamResponse } from "./chat/response-stream.js";

// Context

export type {
  ContextProvider,
  ProvidedContext,
  ProviderContext,
} from "./agent/context-provider.js";

// Errors

export {
  ChatClientError,
  type ChatClientErrorCode,
  type ChatClientErrorOptions,
} from "./errors/chat-client-error.js";
export { ConfigurationError } from "./errors/configuration-error.js";
export {
  ContextProviderError,
  InputError,
  SessionBusyError,
  StreamClosedError,
  StructuredOutputError,
  type StructuredOutputErrorCode,
  UnknownToolError,
} from "./errors/run-errors.js";
export {
  ToolAuthError,
  ToolError,
  type ToolErrorOptions,
  ToolInvalidArgumentsError,
  ToolRateLimitError,
  ToolServiceError,
  ToolTimeoutError,
} from "./errors/tool-errors.js";
export { TunicError, type TunicErrorOptions } from "./errors/tunic-error.js";

// Sessions, runs and events

export type {
  RunEndOutcome,
  RunEvent,
  RunEventListener,
  RunEventName,
} from "./events/run-events.js";
export type { Budget, BudgetLimits, LimitName } from "./run/budget.js";
export type { RunEnvironment } from "./run/environment.js";
export type { AgentIdentity, RunContext, Services } from "./run/run-context.js";
export { createStateKey, type RunState, type StateKey } from "./run/state-key.js";
export { AgentSession, type SessionData } from "./session/agent-session.js";

// Messages

export {
  type Content,
  type ContentBase,
  type DataContent,
  type EditedArguments,
  type ErrorContent,
  type FunctionApprovalRequestContent,
  type FunctionApprovalResponseContent,
  type FunctionCallContent,
  type FunctionResultContent,
  type FunctionResultError,
  type HostedToolCallContent,
  type HostedToolResultContent,
  type PausedCallContent,
  type Remember,
  type RequestedTool,
  type RequestPathStep,
  rawRepresentation,
  type Spent,
  type TextContent,
  type TextReasoningContent,
  type ToolTraits,
  type ToolTrust,
  type UriContent,
} from "./messages/content.js";
export { foldUpdates, type UpdateFold } from "./messages/fold-updates.js";
export type { JsonObject, JsonValue } from "./messages/json.js";
export { checkHistory, type HistoryProblem, modelView, openCalls } from "./messages/log.js";
export {
  type ContentExtras,
  dataContent,
  errorContent,
  functionResultContent,
  textContent,
  uriContent,
} from "./messages/make-content.js";
export { type Message, type MessageInput, type Role, textOf } from "./messages/message.js";
export type {
  DeltaUpdate,
  FinishReason,
  FinishUpdate,
  ProgressUpdate,
  RetractUpdate,
  Update,
} from "./messages/update.js";
export { addUsage, totalTokens, type Usage } from "./messages/usage.js";

// Tools

export { setSchemaValidator } from "./tools/compiled-schema.js";
export { hostedTool, type ToolOptions, tool } from "./tools/function-tool.js";
export type { ArgumentsOf, SchemaInput } from "./tools/schema.js";
export type { SchemaCheck, SchemaCompiler, SchemaViolation } from "./tools/schema-violation.js";
export type { StandardSchema } from "./tools/standard-schema.js";
export type {
  ApprovalContext,
  ApprovalDecision,
  ApprovalMode,
  ApprovalPredicate,
  CallDescription,
  FunctionInvocationContext,
  FunctionTool,
  HostedTool,
  InvokeOptions,
  ResumedCall,
  StrictMode,
  Tool,
  ToolInput,
  ToolResult,
} from "./tools/tool.js";
export { normalizeTools } from "./tools/tool-list.js";
export { toolResult } from "./tools/tool-result.js";

// For authors of chat clients

// Middleware
export type { AgentContext } from "./agent/agent-context.js";
export {
  agentMiddleware,
  chatMiddleware,
  functionMiddleware,
  type Handlers,
  type Middleware,
  type MiddlewareOptions,
  type Seat,
  verdictMiddleware,
} from "./agent/middleware.js";
export { type SortedMiddleware, sortMiddleware } from "./agent/sort-middleware.js";
export { withMiddleware } from "./agent/with-middleware.js";
export { type Fact, stateFact } from "./approvals/state-fact.js";
export type { Verdict, VerdictContext } from "./approvals/verdict.js";
export { askWithAnswerTool } from "./chat/answer-tool.js";
export { type BufferVerdict, bufferUpdates } from "./chat/buffer-updates.js";
export type { ChatContext } from "./chat/chat-context.js";
export { checkToolChoice, joinInstructions } from "./chat/chat-options.js";
export { checkClientOptions, type VendorSdk } from "./chat/check-client-options.js";
export { mergeProviderOptions, type ProviderOptionsTerms } from "./chat/merge-provider-options.js";
export { readRateLimits } from "./chat/rate-limits.js";
export { type ReplaceTextOptions, replaceText } from "./chat/replace-text.js";
export { ResponseBuilder, type ResponseEnd } from "./chat/response-builder.js";
export { responseSchema } from "./chat/response-format.js";
export { parseRetryAfter, readRetryAfter } from "./chat/retry-after.js";
export type { Transform, TransformFactory } from "./chat/transforms.js";
export { withAbort } from "./chat/with-abort.js";
export { checkOptionNames, nearestName } from "./errors/configuration-error.js";
export { MiddlewareError } from "./errors/middleware-error.js";
export { endRun, MiddlewareTermination } from "./errors/middleware-termination.js";
export { withCause } from "./errors/with-cause.js";
export { canonicalJson } from "./messages/canonical-json.js";
export { foreignType } from "./messages/foreign-type.js";
export { copyJson, isJsonObject } from "./messages/json.js";
export { bytesOf } from "./messages/make-content.js";
export { type ParsedArguments, parseArguments } from "./messages/parse-arguments.js";
export { sameJson } from "./messages/same-json.js";
export { compose } from "./onion/compose.js";
export type { Bounds, Handler, Layer, Next } from "./onion/handler.js";
export { onAbort } from "./onion/on-abort.js";
export type { Core, LayerObserver, Onion } from "./onion/onion.js";
export type { Principal } from "./run/run-context.js";
export type { CheckableTool } from "./tools/checked-arguments.js";
export { toObjectSchema } from "./tools/object-schema.js";
export { ownDefinition } from "./tools/own-definition.js";
export { type CheckedArguments, checkArguments } from "./tools/validate-arguments.js";
export {
  type ToolNameRules,
  toolNamesOnWire,
  toWireToolName,
} from "./tools/wire-tool-names.js";
