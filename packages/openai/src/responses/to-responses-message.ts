import type { Content, FunctionApprovalResponseContent, Message } from "@tunic/core";
import type { ResponseInputContent, ResponseInputItem } from "openai/resources/responses/responses";
import { type AnswerHome, toResponsesAnswer } from "./to-responses-answer.js";
import { toInputPart, toOutput } from "./to-responses-content.js";

/** What one message comes to, whatever stands around it. */
export interface ConvertedItems {
  readonly items: readonly ResponseInputItem[];
  /** Types of contents that could not be sent. */
  readonly leftOut: readonly string[];
}

/** Messages never change, so each one is converted once in its life, for each service. */
const converted = new WeakMap<Message, Map<string, ConvertedItems>>();

/**
 * Converts one message. `onLeftOut` is told once what of it cannot be sent.
 *
 * @throws ChatClientError `unsupported` where a user message holds what the service cannot take.
 */
export function convertMessage(
  message: Message,
  home: AnswerHome,
  onLeftOut: (types: readonly string[]) => void,
): ConvertedItems {
  const forms = converted.get(message) ?? new Map<string, ConvertedItems>();
  converted.set(message, forms);
  // What others than the model have said is the same for all.
  const isAnswer = message.role === "assistant";
  const key = isAnswer ? `${home.store} ${home.origin ?? ""}` : "";
  const known = forms.get(key);
  if (known) return known;
  const made = isAnswer ? toResponsesAnswer(message.contents, home) : given(message);
  if (made.leftOut.length > 0) onLeftOut(made.leftOut);
  forms.set(key, made);
  return made;
}

/** What the model is given: results and decisions first, since they answer what stands before. */
function given({ role, contents }: Message): ConvertedItems {
  const items: ResponseInputItem[] = [];
  const parts: ResponseInputContent[] = [];
  const leftOut: string[] = [];
  for (const content of contents) {
    if (content.type === "function_result") items.push(toOutput(content));
    else if (content.type === "function_approval_response") items.push(decision(content));
    else {
      const part = givenPart(content, role);
      if (part) parts.push(part);
      else if (!notForTheModel.has(content.type)) leftOut.push(content.type);
    }
  }
  const said = parts.filter((part) => part.type !== "input_text" || part.text !== "");
  if (said.length > 0) {
    const as = role === "system" ? "system" : "user";
    items.push({ type: "message", role: as, content: plainWhereText(said) });
  }
  return { items, leftOut };
}

function givenPart(content: Content, role: Message["role"]): ResponseInputContent | undefined {
  if (role !== "system" || content.type === "text") return toInputPart(content);
  return undefined;
}

/** Contents that are for the framework, or for the service that made them: never sent, not missed. */
const notForTheModel: ReadonlySet<string> = new Set([
  "text_reasoning",
  "function_approval_request",
  "paused_call",
]);

/** A person's answer to the service's question about a tool of a remote server. */
function decision({
  requestId,
  approved,
  reason,
}: FunctionApprovalResponseContent): ResponseInputItem {
  return {
    type: "mcp_approval_response",
    approval_request_id: requestId,
    approve: approved,
    ...(reason !== undefined && reason !== "" && { reason }),
  };
}

/** Plain text where there is nothing else: the shortest form, and one that all servers take. */
function plainWhereText(parts: readonly ResponseInputContent[]): string | ResponseInputContent[] {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type !== "input_text") return [...parts];
    texts.push(part.text);
  }
  return texts.join("\n\n");
}
