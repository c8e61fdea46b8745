import type { FunctionCallContent } from "@tunic/core";
import type {
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { toWireName } from "./tool-names.js";

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
  if (callId !== "" && callId.length <= longestCallId) return callId;
  const digits = [1, 2, 3, 4].map((seed) => hash(callId, seed).toString(16).padStart(8, "0"));
  return `call_${digits.join("")}`;
}

/**
 * Arguments that did not parse go back as `{}`: servers parse every call of the history, and one
 * broken text would make them refuse each later request. What was wrong is told by the result.
 */
function toWireArguments(call: FunctionCallContent): string {
  return call.arguments === undefined ? "{}" : JSON.stringify(call.arguments);
}

/** Messages never change, so that each is written in this form once. */
const shortened = new WeakMap<ChatCompletionMessageParam, ChatCompletionMessageParam>();

/** A message with ids of calls as Mistral takes them: nine letters and digits. */
export function withShortCallIds(message: ChatCompletionMessageParam): ChatCompletionMessageParam {
  const known = shortened.get(message);
  if (known) return known;
  const made = withIds(message, toShortCallId);
  shortened.set(message, made);
  return made;
}

function withIds(
  message: ChatCompletionMessageParam,
  toId: (id: string) => string,
): ChatCompletionMessageParam {
  if (message.role === "tool") return { ...message, tool_call_id: toId(message.tool_call_id) };
  if (message.role !== "assistant" || !message.tool_calls) return message;
  const calls = message.tool_calls.map((call) => ({ ...call, id: toId(call.id) }));
  return { ...message, tool_calls: calls };
}

function toShortCallId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  const digits = [1, 2].map((seed) => hash(id, seed).toString(36).padStart(7, "0"));
  return digits.map((each, at) => each.slice(at === 0 ? -5 : -4)).join("");
}

/** FNV-1a, 32 bits. */
function hash(text: string, seed: number): number {
  let value = 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1);
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  return value >>> 0;
}
