// The public surface of @tunic/mcp/server. What is named here is API; nothing else is.

export type { McpElicitationAnswer } from "./asking/elicitation.js";
export type { McpRoot } from "./asking/roots.js";
export type { ClientAbilities } from "./serving/calling-client.js";
export type { AuthRequest, HttpAuth, ServedCredential } from "./serving/http/authenticate.js";
export type { HttpServeOptions } from "./serving/http/http-options.js";
export type { RefusedRequest } from "./serving/http/refused-request.js";
export type {
  ServedApprovalContext,
  ServedApprovals,
  ServedCall,
  ServeOptions,
  ServeTransport,
} from "./serving/serve-options.js";
export { serveTools, type ToolServer } from "./serving/serve-tools.js";
export {
  type ServedAskOptions,
  type ServedClient,
  type ServedElicitation,
  type ServedSample,
  type ServedSamplingRequest,
  servedClient,
} from "./serving/served-client.js";
export type { Served } from "./serving/served-tools.js";
