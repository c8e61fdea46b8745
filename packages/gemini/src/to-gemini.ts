import type { Part, Content as WireContent } from "@google/genai";
import type { Message } from "@tunic/core";
import { generationOf } from "./model-generation.js";
import { type ResultDraft, toWireResult, type WireCall } from "./to-gemini-result.js";
import { type Notice, toWireTurn, type WireTurn } from "./to-gemini-turn.js";

/** A conversation as Gemini takes it. */
export interface GeminiContents {
  /** The texts of `system` messages, in order, for `systemInstruction`; absent where there are none. */
  readonly system?: string;
  readonly contents: WireContent[];
}

/** For whom a conversation is converted. */
export interface GeminiContentsOptions {
  /** Default: a model of the newest generation. */
  readonly model?: string | undefined;
  /** The model's generation, where its name does not tell. */
  readonly generation?: number | undefined;
  /** Told of what is left out. */
  readonly notice?: Notice | undefined;
}

/** Stands in where a conversation begins with the model, which Gemini does not take. */
export const openingText = "(The conversation begins with the model.)";

/**
 * What Google documents for calls that no Gemini model has signed, such as those of another vendor's
 * model (https://ai.google.dev/gemini-api/docs/thought-signatures, "FAQs").
 */
const unsigned = "skip_thought_signature_validator";

/**
 * Our messages as `Content[]`: roles alternate, the user begins, no content is empty, and the responses
 * to a content's calls are the first parts of the content right after it, in the order of the calls.
 * Each message is converted once in its life; merging neighbours touches the outgoing list only.
 *
 * - A conversation that begins with the model gets a short user content before it.
 * - `system` messages are handed out apart.
 * - Thought signatures go back on the very part that they came on. From Gemini 3 on, the service
 *   checks the first call of each step since the user spoke last: where no call of such a step has a
 *   signature, the first one gets the documented stand-in.
 *
 * @throws ChatClientError `unsupported` for media that Gemini does not take.
 */
export function toGeminiContents(
  messages: readonly Message[],
  options: GeminiContentsOptions = {},
): GeminiContents {
  const { model = "gemini-latest", notice } = options;
  const generation = options.generation ?? generationOf(model);
  const system: string[] = [];
  const merge = new TurnMerge(generation, notice);
  for (const message of messages) {
    const turn = toWireTurn(message, notice);
    if (turn.role !== "system") merge.add(turn);
    else for (const { text } of turn.parts) if (text !== undefined) system.push(text);
  }
  const contents = merge.end();
  return {
    contents: generation >= 3 ? withStandIns(contents) : contents,
    ...(system.length > 0 && { system: system.join("\n\n") }),
  };
}

/** Joins neighbours of one role. A turn that has no such neighbour goes out as the object it is. */
class TurnMerge {
  readonly #generation: number;
  readonly #notice: Notice | undefined;
  readonly #contents: WireContent[] = [];
  #open: WireTurn[] = [];
  /** Of the model's content before. */
  #calls: readonly WireCall[] = [];

  constructor(generation: number, notice: Notice | undefined) {
    this.#generation = generation;
    this.#notice = notice;
  }

  add(turn: WireTurn): void {
    if (turn.results.length === 0 && turn.parts.length === 0) return;
    const role = this.#open[0]?.role;
    if (role !== undefined && role !== turn.role) this.#close();
    this.#open.push(turn);
  }

  end(): WireContent[] {
    this.#close();
    return this.#contents;
  }

  #close(): void {
    const turns = this.#open;
    const [first, ...others] = turns;
    if (first === undefined) return;
    this.#open = [];
    if (first.role === "model" && this.#contents.length === 0) {
      this.#contents.push({ role: "user", parts: [{ text: openingText }] });
    }
    const responses = this.#responses(turns);
    const parts = [...responses, ...turns.flatMap((turn) => turn.parts)];
    if (parts.length === 0) return;
    const alone = others.length === 0 && responses.length === 0;
    const calls = turns.flatMap((turn) => turn.calls);
    const last = this.#contents.at(-1);
    // What stood between two neighbours of one role came to nothing.
    if (last?.role === first.role) {
      this.#contents.splice(-1, 1, { role: first.role, parts: [...(last.parts ?? []), ...parts] });
      this.#calls = [...this.#calls, ...calls];
      return;
    }
    this.#contents.push(alone ? first.content : { role: first.role, parts });
    this.#calls = calls;
  }

  /** The responses in the order of the calls, and behind them what they could not hold. */
  #responses(turns: readonly WireTurn[]): readonly Part[] {
    const drafts = turns.flatMap(({ results }) => results);
    if (drafts.length === 0) return [];
    const results = this.#calls.flatMap((call) => {
      const draft = drafts.find(({ callId }) => callId === call.callId);
      return draft ? [toWireResult(draft, call, this.#generation)] : [];
    });
    for (const draft of drafts) {
      const { callId } = draft;
      if (this.#calls.some((call) => call.callId === callId)) continue;
      if (this.#notice === undefined || told.has(draft)) continue;
      told.add(draft);
      this.#notice(
        "content_left_out",
        `The result of call "${callId}" has no call right before it and was left out of the request.`,
      );
    }
    return [...results.map(({ response }) => response), ...results.flatMap(({ behind }) => behind)];
  }
}

/** Results of which it was said that they are left out. */
const told = new WeakSet<ResultDraft>();

/**
 * The contents since the user spoke last, with a stand-in on the first call of each unsigned step. Text
 * beside responses does not count as speaking: a stand-in too many hurts nobody, one too few is a 400.
 */
function withStandIns(contents: WireContent[]): WireContent[] {
  const spoken = contents.findLastIndex(
    ({ role, parts = [] }) => role === "user" && !parts.some((part) => part.functionResponse),
  );
  return contents.map((content, at) => (at < spoken ? content : withStandIn(content)));
}

const marked = new WeakMap<Part, Part>();

function withStandIn(content: WireContent): WireContent {
  const { role, parts = [] } = content;
  const calls = parts.filter((part) => part.functionCall);
  const [first] = calls;
  if (first === undefined || calls.some((part) => part.thoughtSignature)) return content;
  let signed = marked.get(first);
  if (signed === undefined) {
    signed = { ...first, thoughtSignature: unsigned };
    marked.set(first, signed);
  }
  const made = signed;
  return { ...(role && { role }), parts: parts.map((part) => (part === first ? made : part)) };
}
