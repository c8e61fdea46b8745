import { ChatClientError, type ChatRequest, type Message } from "@tunic/core";
import type {
  ResponseCreateParamsBase,
  ResponseInputItem,
} from "openai/resources/responses/responses";
import { itemData } from "./item-data.js";
import type { AnswerHome } from "./to-responses-answer.js";
import { toCallId } from "./to-responses-content.js";

/** What of a request the service holds already, and what has to be sent. */
export interface HeldPart {
  readonly messages: readonly Message[];
  /** How the request refers to what is held; empty where nothing is. */
  readonly members: Pick<ResponseCreateParamsBase, "previous_response_id" | "conversation">;
  /** Gives results the ids under which the service knows their calls. */
  rename(input: ResponseInputItem[]): ResponseInputItem[];
}

/**
 * What to send where a conversation is held.
 *
 * - Messages up to the last answer that belongs to the id are not sent again.
 * - Where no message belongs to it, the caller gives what is new only, and all is sent.
 * - Where only messages of another service belong to it, that service is the one that holds it.
 * - Where none belongs to it but some belong to other stored answers (those of a batch that still
 *   waits are not shown to the model, say), the last of these is what the messages go on from.
 *
 * @throws ChatClientError `unsupported` for the id of a conversation where nothing is to be stored.
 */
export function heldPart(
  { messages, options, run }: ChatRequest,
  { store, origin }: AnswerHome,
): HeldPart {
  const { conversationId } = options;
  if (conversationId === undefined) return { messages, members: {}, rename: same };
  const lasting = conversationId.startsWith("conv_");
  if (lasting && !store) {
    throw new ChatClientError(
      "unsupported",
      `The conversation ${conversationId} grows with every answer, and this client stores none: make it ` +
        "with store: true, or leave conversationId out and send the messages.",
    );
  }
  const belongs = (message: Message): boolean => heldIds(message, origin).includes(conversationId);
  let from = messages.findLastIndex(belongs);
  let id = conversationId;
  const isForeign =
    from < 0 && messages.some((message) => heldIds(message, undefined).includes(conversationId));
  if (from < 0 && !lasting) {
    from = messages.findLastIndex((message) => heldIds(message, origin).length > 0);
    const [other] = from < 0 ? [] : heldIds(messages[from] as Message, origin);
    if (other !== undefined) {
      run?.notice(
        "conversation_elsewhere",
        `No message belongs to the response ${id}; the request goes on from ${other}, which the last stored answer among the messages belongs to.`,
      );
      id = other;
    }
  }
  if (isForeign && id === conversationId) {
    run?.notice(
      "conversation_elsewhere",
      `The answer ${id} is held by another service than ${origin}, which is sent all messages.`,
    );
    return { messages, members: {}, rename: same };
  }
  const rest = messages.slice(from + 1);
  return {
    messages: rest,
    members: lasting ? { conversation: id } : { previous_response_id: id },
    rename: (input) => renamed(input, messages.slice(0, from + 1)),
  };
}

/**
 * The ids under which the service holds an answer: of the response, and of its conversation.
 *
 * @param home The service; undefined asks for whichever holds it.
 */
function heldIds({ role, contents }: Message, home: string | undefined): readonly string[] {
  if (role !== "assistant") return none;
  for (const content of contents) {
    const { responseId, conversationId, origin } = itemData(content);
    if (responseId === undefined) continue;
    if (origin !== undefined && home !== undefined && origin !== home) continue;
    return conversationId === undefined ? [responseId] : [responseId, conversationId];
  }
  return none;
}

const none: readonly string[] = [];

function same(input: ResponseInputItem[]): ResponseInputItem[] {
  return input;
}

/** A call that was renamed when it entered the log is known to the service by its own id. */
function renamed(input: ResponseInputItem[], held: readonly Message[]): ResponseInputItem[] {
  const own = new Map<string, string>();
  for (const { contents } of held) {
    for (const content of contents) {
      if (content.type !== "function_call") continue;
      const vendorId = content.providerData?.["openai"]?.["callId"];
      if (typeof vendorId === "string") own.set(toCallId(content.callId), vendorId);
    }
  }
  if (own.size === 0) return input;
  return input.map((item) => {
    if (item.type !== "function_call_output") return item;
    const callId = own.get(item.call_id);
    return callId === undefined ? item : { ...item, call_id: callId };
  });
}
