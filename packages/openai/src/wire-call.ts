import type { FunctionCallContent } from "@tunic/core";
import type { ChatCompletionMessageFunctionToolCall } from "openai/resources/chat/completions";

/** The longest id of a call that the service takes. */
const longestCallId = 40;

/** A call of the log as it is sent back: in a form that strict servers take. */
export function toWireCall(call: FunctionCallContent): ChatCompletionMessageFunctionToolCall {
  return {
    id: toWireCallId(call.callId),
    type: "function",
    function: { name: toWireName(call.name), arguments: toWireArguments(call) },
  };
}

/**
 * The id of a call as it is sent. Ids of other services may be longer than this one allows; such an
 * id is replaced by one that depends on it alone, so that call and result still fit.
 */
export function toWireCallId(callId: string): string {
  if (callId.length <= longestCallId) return callId;
  const digits = [1, 2, 3, 4].map((seed) => hash(callId, seed).toString(16).padStart(8, "0"));
  return `call_${digits.join("")}`;
}

/** A model may have called what never existed: that name stays in the log and must not be refused. */
function toWireName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}

/**
 * Arguments that did not parse go back as `{}`: servers parse every call of the history, and one
 * broken text would make them refuse each later request. What was wrong is told by the result.
 */
function toWireArguments(call: FunctionCallContent): string {
  return call.arguments === undefined ? "{}" : JSON.stringify(call.arguments);
}

/** FNV-1a, 32 bits. */
function hash(text: string, seed: number): number {
  let value = 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1);
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  return value >>> 0;
}
