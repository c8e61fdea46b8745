import type Anthropic from "@anthropic-ai/sdk";
import { withContainerId } from "./container.js";
import type { AnswerReader } from "./from-anthropic.js";
import { lastBlocks } from "./join-turns.js";
import { toWireTurn } from "./to-anthropic-blocks.js";

type Params = Anthropic.MessageCreateParams;

/**
 * The request that asks the service to go on with an answer that it paused: the first one, with all
 * that came since as its last message ("Send the assistant content back to continue"). Undefined where
 * nothing came that could be sent back.
 */
export function continued(first: Params, reader: AnswerReader): Params | undefined {
  const { blocks } = toWireTurn(reader.soFar);
  if (blocks.length === 0) return undefined;
  const last = first.messages.at(-1);
  const begun = last?.role === "assistant" && Array.isArray(last.content) ? last.content : [];
  const before = begun.length > 0 ? first.messages.slice(0, -1) : first.messages;
  const container = withContainerId(first.container, reader.container?.["id"]);
  return {
    ...first,
    messages: [...before, { role: "assistant", content: [...begun, ...lastBlocks(blocks)] }],
    ...(container !== undefined && { container }),
  };
}
