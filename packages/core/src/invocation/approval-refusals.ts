import type { ToolResult } from "../tools/tool.js";
import { errorResult } from "../tools/tool-result.js";

/** Several calls may have counted on the last use of a remembered decision. */
export function usedUp(): ToolResult {
  return denied(
    "not run: what a person has allowed is used up by other calls. Call it again, and a person is asked.",
  );
}

/** What the model is told of a call that is not allowed. */
export function denied(message: string): ToolResult {
  return errorResult({ code: "approval_denied", message });
}

/** A tool that asks under an id of an earlier question would be given the answer to that one. */
export function repeatedRequest(requestId: string): ToolResult {
  return errorResult({
    code: "repeated_request",
    message: `the tool asked under the id "${requestId}", which this conversation has had. Its author makes new ones with context.run.newId("request").`,
  });
}
