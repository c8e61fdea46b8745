import type { Content } from "./content.js";

/** Every type that means something here; the compiler sees to it that none is missing. */
const ownTypes: Readonly<Record<Content["type"], true>> = {
  text: true,
  text_reasoning: true,
  data: true,
  uri: true,
  error: true,
  function_call: true,
  function_result: true,
  function_approval_request: true,
  function_approval_response: true,
  paused_call: true,
  hosted_tool_call: true,
  hosted_tool_result: true,
};

/**
 * The type under which a part of an answer is kept that a chat client does not know. It keeps its own
 * name, unless that means something here: what a service sends must not pose as a content of ours.
 */
export function foreignType(type: string, provider: string): string {
  return type === "" || Object.hasOwn(ownTypes, type) ? `${provider}_${type}` : type;
}
