// The public surface of @tunic/mcp. What is named here is API; nothing else is.

export type { McpApproval } from "./approval-option.js";
export type { McpAskContext } from "./asking/ask-context.js";
export type {
  McpElicitation,
  McpElicitationAnswer,
  McpFormElicitation,
  McpUrlElicitation,
} from "./asking/elicitation.js";
export type { McpRoot } from "./asking/roots.js";
export type { McpSamplingRequest } from "./asking/sampling-request.js";
export type {
  McpClient,
  McpHooks,
  McpLogEntry,
  McpLogLevel,
  McpPage,
  McpProgress,
  McpRequestOptions,
  McpServerInfo,
  McpToolCall,
  ServerRequestContext,
  ServerRequestHandler,
} from "./client/mcp-client.js";
export type { AskInput, McpInput } from "./config/inputs.js";
export { type LoadMcpServersOptions, loadMcpServers } from "./config/load-mcp-servers.js";
export type { McpHeaders, McpHeadersContext } from "./header-values.js";
export { McpError, type McpErrorCode, type McpErrorOptions } from "./mcp-error.js";
export { type ConnectedTools, type McpTarget, McpTools, mcpTools } from "./mcp-tools.js";
export type { OpenMcpClient, SdkClient } from "./open-target.js";
export type {
  McpLimits,
  McpTaskOptions,
  McpToolsOptions,
} from "./options.js";
export type { McpTransport, RemoteServer, StdioServer } from "./target.js";
