import type { Message } from "@tunic/core";
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
  ChatCompletionUserMessageParam,
} from "openai/resources/chat/completions";
import { withShortCallIds } from "../wire-call.js";
import { type Replay, replayed, thinksAloud } from "./assistant-replay.js";
import { convertMessage, joinTexts, plainWhereText } from "./to-openai-message.js";

/** What goes along with the messages. */
export interface ToOpenAIMessagesOptions {
  /** Become the leading system message. */
  readonly instructions?: string | undefined;
  /** Told once in a message's life what of it cannot be sent. */
  readonly onLeftOut?: (message: Message, types: readonly string[]) => void;
  /**
   * Which service gets them: it is given back what it wants of its own messages. Default: none of
   * those, and only members that OpenAI knows.
   */
  readonly replay?: Replay | undefined;
  /** Whether ids of calls have nine letters and digits, as Mistral wants them. Default false. */
  readonly shortCallIds?: boolean | undefined;
}

/**
 * Messages as the service takes them. Each message is converted once in its life, and the same
 * object is sent again; only where neighbours of one role are joined, new objects are made.
 *
 * @throws ChatClientError `unsupported` where a user message holds what the service cannot take.
 */
export function toOpenAIMessages(
  messages: readonly Message[],
  options: ToOpenAIMessagesOptions = {},
): ChatCompletionMessageParam[] {
  const list: ChatCompletionMessageParam[] = [];
  let media: ChatCompletionContentPart[] = [];
  const push = (message: ChatCompletionMessageParam): void => {
    const last = list.at(-1);
    const joined = last && join(last, message);
    if (joined) list[list.length - 1] = joined;
    else list.push(message);
  };
  const pushMedia = (): void => {
    if (media.length > 0) push({ role: "user", content: media });
    media = [];
  };
  const { instructions, replay, shortCallIds } = options;
  if (instructions) push({ role: "system", content: instructions });
  const all = messages.map((message) =>
    convertMessage(message, (types) => options.onLeftOut?.(message, types)),
  );
  const thinks = replay !== undefined && all.some(({ own }) => thinksAloud(own, replay));
  for (const { messages: made, media: files, own } of all) {
    for (const plain of made) {
      const inToolTurn = list.at(-1)?.role === "tool";
      const each =
        replay === undefined ? plain : replayed(plain, own, replay, { thinks, inToolTurn });
      // Nothing may stand between the results of one batch.
      if (each.role !== "tool") pushMedia();
      push(shortCallIds ? withShortCallIds(each) : each);
    }
    media.push(...files);
  }
  pushMedia();
  return list;
}

/** Two neighbours as one message, where many servers want the roles to take turns. */
function join(
  a: ChatCompletionMessageParam,
  b: ChatCompletionMessageParam,
): ChatCompletionMessageParam | undefined {
  if (a.role === "user" && b.role === "user") {
    return { role: "user", content: plainWhereText([...partsOf(a), ...partsOf(b)]) };
  }
  if (a.role === "system" && b.role === "system") {
    return { role: "system", content: joinTexts([plainText(a), plainText(b)]) };
  }
  if (a.role === "assistant" && b.role === "assistant" && a.tool_calls === undefined) {
    if (a.audio || b.audio) return undefined;
    const text = joinTexts([plainText(a), plainText(b)]);
    return { ...a, ...b, content: text === "" ? null : text };
  }
  return undefined;
}

function partsOf(message: ChatCompletionUserMessageParam): readonly ChatCompletionContentPart[] {
  const { content } = message;
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** System and assistant messages of ours hold plain text only. */
function plainText(message: Pick<ChatCompletionAssistantMessageParam, "content">): string {
  return typeof message.content === "string" ? message.content : "";
}
