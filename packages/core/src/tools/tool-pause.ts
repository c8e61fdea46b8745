import { MiddlewareTermination } from "../errors/middleware-termination.js";
import type { FunctionApprovalRequestContent } from "../messages/content.js";
import type { JsonValue } from "../messages/json.js";
import { isRequest } from "../messages/requests.js";
import type { ToolResult } from "./tool.js";
import { errorResult } from "./tool-result.js";

/** A call that waits for answers. It passes every handler, as the end of a run does. */
export class ToolPause extends MiddlewareTermination<ToolResult> {
  readonly requests: readonly FunctionApprovalRequestContent[];
  readonly state: JsonValue;

  constructor(requests: readonly FunctionApprovalRequestContent[], state: JsonValue) {
    super(
      // Seen only where a tool is invoked by hand: in a run the pause takes its place.
      errorResult({ code: "paused", message: "The call waits for a person's decision." }),
    );
    this.requests = requests;
    this.state = state;
  }

  override by(): this {
    return this;
  }
}

/**
 * Pauses the run because something inside a tool has to be asked about: how a tool that is an agent
 * passes the questions of its own run up. Return it from the tool's function. When they are
 * answered, the function is called again and finds the answers and `state` in `context.resumed`.
 *
 * @param requests At least one; those of the run inside.
 * @param state What the function needs to go on; JSON, it survives a restart.
 * @throws TypeError without a request, or when the state is no JSON.
 */
export function paused(
  requests: readonly FunctionApprovalRequestContent[],
  state: unknown = null,
): MiddlewareTermination<ToolResult> {
  checkRequests(requests);
  // As it will be after a restart: what works only until then would be found too late.
  return new ToolPause(requests, JSON.parse(JSON.stringify(state) ?? "null"));
}

/** Requests come from code that may be written without types. */
function checkRequests(requests: unknown): void {
  const fits = Array.isArray(requests) && requests.length > 0 && requests.every(isRequest);
  if (!fits) {
    throw new TypeError(
      "paused() needs a list of at least one approval request, each with `requestId` and `call`, such as response.approvalRequests.",
    );
  }
  const ids = new Set(requests.map((request: FunctionApprovalRequestContent) => request.requestId));
  if (ids.size === requests.length) return;
  throw new TypeError("paused(): two requests have one id; context.run.newId makes new ones.");
}
