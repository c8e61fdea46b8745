import type Anthropic from "@anthropic-ai/sdk";
import type { Message } from "@tunic/core";
import { joinTurns } from "./join-turns.js";
import { type Container, toWireTurn, type WireTurn } from "./to-anthropic-blocks.js";
import type { Notice } from "./wire-block.js";

export { openingText } from "./join-turns.js";

/** A conversation as members of a request, which may be spread into `messages.create`. */
export interface AnthropicMessages {
  /** The texts of `system` messages, in order; absent where there are none. */
  readonly system?: string;
  readonly messages: Anthropic.MessageParam[];
}

/** A conversation as a request is made of it. */
export interface Conversation {
  /** Texts of `system` messages, in order. */
  readonly system: readonly string[];
  readonly messages: Anthropic.MessageParam[];
  /** Where the service's code ran last, if it did. */
  readonly container?: Container;
}

/**
 * Our messages as `MessageParam[]`: roles alternate, every turn has a block, and the results of a
 * turn's calls are the first blocks of the user message right after it. Each message is converted
 * once in its life; merging neighbours touches the outgoing list only.
 *
 * - A conversation that begins with the assistant gets a short user message before it.
 * - `system` messages are handed out apart: their place among the others is not kept, since most
 *   models take no system text in between.
 * - Calls of the service's own tools without a result, and results without a call, are left out.
 *
 * @throws ChatClientError `unsupported` for media that Anthropic does not take.
 */
export function toAnthropicMessages(
  messages: readonly Message[],
  notice?: Notice,
): AnthropicMessages {
  const { system, messages: sent } = toConversation(messages, notice);
  return { messages: sent, ...(system.length > 0 && { system: system.join("\n\n") }) };
}

/** The same in parts, for a request that adds to them. */
export function toConversation(messages: readonly Message[], notice?: Notice): Conversation {
  const system: string[] = [];
  const turns: WireTurn[] = [];
  let container: Container | undefined;
  for (const message of messages) {
    const turn = toWireTurn(message, notice);
    if (turn.role === "system") {
      for (const block of turn.blocks) if (block.type === "text") system.push(block.text);
    } else if (turn.results.length > 0 || turn.blocks.length > 0) turns.push(turn);
    container = turn.container ?? container;
  }
  return { system, messages: joinTurns(turns, notice), ...(container && { container }) };
}
