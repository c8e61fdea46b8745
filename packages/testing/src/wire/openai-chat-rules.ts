import { argumentsProblems, nameProblems } from "./openai-schema-rules.js";
import { formatProblems, toolProblems } from "./openai-tool-rules.js";
import {
  asRecord,
  asText,
  eachWith,
  isGiven,
  isRecord,
  type Problems,
  recordsOf,
  repeated,
  shown,
  under,
  type WireRecord,
} from "./wire-values.js";

/**
 * The rules of OpenAI's chat completions that their schema does not say, by
 * https://platform.openai.com/docs/api-reference/chat/create,
 * https://platform.openai.com/docs/guides/function-calling and the service's own error texts:
 *
 * - "An assistant message with 'tool_calls' must be followed by tool messages responding to each
 *   'tool_call_id'", and "messages with role 'tool' must be a response to a preceeding message with
 *   'tool_calls'".
 * - Ids of calls have at most 40 characters ("string too long. Expected a string with maximum length
 *   40"; some models take 64). Within a message they differ.
 * - Names are `^[a-zA-Z0-9_-]{1,64}$`, arguments the JSON text of an object (compatible servers parse
 *   them).
 * - An assistant message says something, a user message too, and no text part is empty.
 */
export function openaiChatProblems(body: unknown): Problems {
  if (!isRecord(body)) return [];
  const messages = recordsOf(body["messages"]);
  const format = asRecord(body["response_format"])["json_schema"];
  return [
    ...eachWith("messages", messages, messageProblems),
    ...pairProblems(messages),
    ...toolProblems(body, chatFunction),
    ...(isRecord(format) ? formatProblems("response_format.json_schema", format) : []),
  ];
}

function chatFunction(tool: WireRecord): WireRecord | undefined {
  return tool["type"] === "function" ? asRecord(tool["function"]) : undefined;
}

function messageProblems(message: WireRecord): Problems {
  const { role, content } = message;
  const parts = eachWith(".content", recordsOf(content), emptyPart);
  if (role === "assistant") return [...parts, ...assistantProblems(message)];
  if (role === "tool" && Array.isArray(content) && content.length === 0) return ["no content"];
  return role === "user" && isEmpty(content) ? [...parts, "no content"] : parts;
}

function emptyPart(part: WireRecord): Problems {
  return part["type"] === "text" && part["text"] === "" ? ["an empty text"] : [];
}

function isEmpty(content: unknown): boolean {
  return content === "" || (Array.isArray(content) && content.length === 0);
}

function assistantProblems(message: WireRecord): Problems {
  const { content, refusal, tool_calls } = message;
  const calls = recordsOf(tool_calls);
  const problems: string[] = [];
  const says = isGiven(content) && !isEmpty(content);
  if (!says && calls.length === 0 && asText(refusal) === "" && !isGiven(message["audio"])) {
    problems.push("neither content nor tool_calls nor refusal");
  }
  if (isGiven(tool_calls) && calls.length === 0) problems.push("tool_calls: an empty list");
  const ids = calls.map((call) => asText(call["id"]));
  for (const id of repeated(ids)) problems.push(`two calls have the id ${shown(id)}`);
  return [...problems, ...eachWith(".tool_calls", calls, callProblems)];
}

function callProblems(call: WireRecord): Problems {
  const { id, type } = call;
  const length = asText(id).length;
  const idProblems = length > 0 && length <= 40 ? [] : [`the id ${shown(id)}`];
  if (type !== "function") return idProblems;
  const { name, arguments: text } = asRecord(call["function"]);
  return [...idProblems, ...nameProblems(name), ...argumentsProblems(text)];
}

/** Every call has one tool message, and nothing stands between a call's message and those. */
function pairProblems(messages: readonly WireRecord[]): Problems {
  const problems: string[] = [];
  let open = new Set<unknown>();
  const close = (at: number): void => {
    const missing = Array.from(open, (id) => `no tool message for the call ${shown(id)}`);
    problems.push(...under(`messages[${at}]`, missing));
    open = new Set();
  };
  messages.forEach((message, at) => {
    if (message["role"] === "tool") {
      const id = message["tool_call_id"];
      if (!open.delete(id)) problems.push(`messages[${at}]: no call ${shown(id)} is open`);
      return;
    }
    close(at);
    if (message["role"] !== "assistant") return;
    open = new Set(recordsOf(message["tool_calls"]).map((call) => call["id"]));
  });
  close(messages.length);
  return problems;
}
