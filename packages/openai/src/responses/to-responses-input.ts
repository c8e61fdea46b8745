import type { Message } from "@tunic/core";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { convertMessage } from "./to-responses-message.js";

/** What goes along with the messages. */
export interface ToOpenAIResponsesInputOptions {
  /**
   * Whether the service keeps answers (`store: true`), so that reasoning of stored answers may be named
   * by its id alone. Default false.
   */
  readonly store?: boolean | undefined;
  /**
   * The host of the service, with its port: what another service has encrypted, or knows by an id, is
   * left out. Default: nothing is.
   */
  readonly origin?: string | undefined;
  /** Told once in a message's life what of it cannot be sent. */
  readonly onLeftOut?: (message: Message, types: readonly string[]) => void;
}

/**
 * Messages as the `input` of the Responses API. Each message is converted once in its life, and the
 * same objects are sent again. Instructions are no part of it: the API has a member for them.
 *
 * @throws ChatClientError `unsupported` where a user message holds what the service cannot take.
 */
export function toOpenAIResponsesInput(
  messages: readonly Message[],
  options: ToOpenAIResponsesInputOptions = {},
): ResponseInputItem[] {
  return toInput(messages, options, false);
}

/** @param held Whether the service holds what stands before, questions included. */
export function toInput(
  messages: readonly Message[],
  { store = false, origin, onLeftOut }: ToOpenAIResponsesInputOptions,
  held: boolean,
): ResponseInputItem[] {
  const list = new InputList(held);
  for (const message of messages) {
    const { items } = convertMessage(message, { store, origin }, (types) =>
      onLeftOut?.(message, types),
    );
    for (const item of items) list.add(item);
  }
  return list.items;
}

/** The items of all messages, by the rules that hold between them. */
class InputList {
  readonly items: ResponseInputItem[] = [];
  readonly #held: boolean;
  readonly #ids = new Set<string>();
  /** Questions of the service that have come up. */
  readonly #open = new Set<string>();
  readonly #answered = new Set<string>();

  constructor(held: boolean) {
    this.#held = held;
  }

  add(item: ResponseInputItem): void {
    if (item.type === "mcp_approval_request") this.#open.add(item.id);
    if (item.type === "mcp_approval_response" && !this.#answers(item.approval_request_id)) return;
    const sent = withFreshId(item, this.#ids);
    if (sent) this.items.push(sent);
  }

  /** Whether a decision is about a question of this service, in this conversation. */
  #answers(requestId: string): boolean {
    // One that comes again, or says something else, is no second answer.
    if (this.#answered.has(requestId)) return false;
    const isOurs = this.#open.has(requestId) || (this.#held && requestId.startsWith("mcpr_"));
    if (isOurs) this.#answered.add(requestId);
    return isOurs;
  }
}

/** The service refuses two items of one id: the second goes without it, or not at all. */
function withFreshId(item: ResponseInputItem, ids: Set<string>): ResponseInputItem | undefined {
  const { id } = item as { readonly id?: unknown };
  if (typeof id !== "string") return item;
  if (!ids.has(id)) {
    ids.add(id);
    return item;
  }
  if (item.type === "function_call") {
    const { id: _, ...rest } = item;
    return rest;
  }
  if (item.type !== "message" || item.role !== "assistant" || typeof item.content === "string") {
    return undefined;
  }
  const words = item.content.map((part) =>
    part.type === "output_text" ? part.text : part.type === "refusal" ? part.refusal : "",
  );
  const { phase } = item;
  return { type: "message", role: "assistant", content: words.join(""), ...(phase && { phase }) };
}
