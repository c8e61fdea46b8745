import {
  type Content,
  type FunctionApprovalRequestContent,
  type Message,
  openCalls,
} from "@tunic/core";

/**
 * Whether something of a log waits for a person's answer that only this server's tools can go on with. Without them
 * the run would close the call, and use the answer up.
 *
 * @param label Whose tools they are.
 * @param prefix What their names begin with.
 */
export function isWaitedFor(log: readonly Message[], label: string, prefix: string): boolean {
  const requests = log.flatMap(({ contents }) => contents).filter(isRequest);
  if (requests.length === 0) return false;
  const open = new Set(openCalls(log).map(({ callId }) => callId));
  return requests.some(({ path, call, tool, beside = [] }) => {
    if (!open.has(path?.[0]?.callId ?? call.callId)) return false;
    // Calls that nobody is asked about run with those that wait.
    return tool?.owner === label || beside.some(({ name }) => name.startsWith(`${prefix}_`));
  });
}

function isRequest(content: Content): content is FunctionApprovalRequestContent {
  return content.type === "function_approval_request";
}
