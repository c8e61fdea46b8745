import type Anthropic from "@anthropic-ai/sdk";
import type { Message } from "@tunic/core";
import { type Notice, toWireTurn, type WireTurn } from "./to-anthropic-blocks.js";

/** A conversation as Anthropic takes it. */
export interface AnthropicMessages {
  /** Texts of `system` messages, in order; they belong into the request's `system`. */
  readonly system: readonly string[];
  readonly messages: Anthropic.MessageParam[];
}

/** Stands in where a conversation begins with the assistant, which Anthropic does not take. */
export const openingText = "(The conversation begins with the assistant.)";

/**
 * Our messages as `MessageParam[]`: roles alternate, every turn has a block, and the results of a
 * turn's calls are the first blocks of the user message right after it. Each message is converted
 * once in its life; merging neighbours touches the outgoing list only.
 *
 * - A conversation that begins with the assistant gets a short user message before it.
 * - `system` messages are handed out apart: their place among the others is not kept, since most
 *   models take no system text in between.
 *
 * @throws ChatClientError `unsupported` for media that Anthropic does not take.
 */
export function toAnthropicMessages(
  messages: readonly Message[],
  notice?: Notice,
): AnthropicMessages {
  const system: string[] = [];
  const merge = new TurnMerge();
  for (const message of messages) {
    const turn = toWireTurn(message, notice);
    if (turn.role !== "system") merge.add(turn);
    else for (const block of turn.blocks) if (block.type === "text") system.push(block.text);
  }
  return { system, messages: merge.end() };
}

/** Joins neighbours of one role. A turn that has no such neighbour goes out as the object it is. */
class TurnMerge {
  readonly #messages: Anthropic.MessageParam[] = [];
  #open: WireTurn[] = [];
  #unparsed: ReadonlyMap<string, string> = new Map();

  add(turn: WireTurn): void {
    if (turn.results.length === 0 && turn.blocks.length === 0) return;
    const role = this.#open[0]?.role;
    if (role !== undefined && role !== turn.role) this.#close();
    this.#open.push(turn);
  }

  end(): Anthropic.MessageParam[] {
    this.#close();
    return this.#messages;
  }

  #close(): void {
    const turns = this.#open;
    const [first, ...others] = turns;
    if (first === undefined) return;
    this.#open = [];
    if (first.role === "assistant" && this.#messages.length === 0) {
      this.#messages.push({ role: "user", content: [{ type: "text", text: openingText }] });
    }
    const plain = others.length === 0 && this.#unparsed.size === 0;
    this.#messages.push(plain ? first.param : this.#joined(first.role, turns));
    this.#unparsed =
      turns.length === 1 ? first.unparsed : new Map(turns.flatMap(({ unparsed }) => [...unparsed]));
  }

  #joined(role: WireTurn["role"], turns: readonly WireTurn[]): Anthropic.MessageParam {
    const results = turns.flatMap((turn) =>
      turn.results.map((result) => this.#withArguments(result)),
    );
    const content = [...results, ...turns.flatMap((turn) => turn.blocks)];
    return role === "assistant" ? { role, content } : { role: "user", content };
  }

  /** The call could not carry text that is no JSON object, so its result says what the model wrote. */
  #withArguments(result: Anthropic.ToolResultBlockParam): Anthropic.ToolResultBlockParam {
    const written = this.#unparsed.get(result.tool_use_id);
    if (!written || typeof result.content === "string") return result;
    const known = explained.get(result);
    if (known) return known;
    const told = result.content?.some(
      (block) => block.type === "text" && block.text.includes(written),
    );
    const text = `The arguments of the call were: ${written}`;
    const block = told
      ? result
      : { ...result, content: [...(result.content ?? []), { type: "text" as const, text }] };
    explained.set(result, block);
    return block;
  }
}

const explained = new WeakMap<Anthropic.ToolResultBlockParam, Anthropic.ToolResultBlockParam>();
