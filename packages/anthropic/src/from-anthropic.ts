import type Anthropic from "@anthropic-ai/sdk";
import {
  ChatClientError,
  type ChatResponse,
  type Content,
  type FinishReason,
  type JsonObject,
  type JsonValue,
  type ResponseBuilder,
} from "@tunic/core";
import {
  callStart,
  isJsonObject,
  textPiece,
  thinkingPiece,
  type WireBlock,
  wholeBlock,
} from "./from-anthropic-blocks.js";
import { UsageReader } from "./from-anthropic-usage.js";

interface OpenBlock {
  readonly id: string;
  readonly block: WireBlock;
  readonly callId?: string;
  /** Whether argument text came in that is not blank. */
  written: boolean;
  /** Argument text of a block that is handed on whole. */
  input: string;
  signature: string;
  citations: JsonValue[];
}

/**
 * Reads one answer, streamed or whole, into a {@link ResponseBuilder}. A whole answer is read as the
 * events that would have said it, so that both give the same message.
 */
export class AnswerReader {
  readonly #builder: ResponseBuilder;
  readonly #usage = new UsageReader();
  readonly #open = new Map<number, OpenBlock>();
  #last: OpenBlock | undefined;
  #head: { readonly id?: string; readonly model?: string } | undefined;
  #stopReason: string | undefined;
  #stopDetails: JsonObject | undefined;
  #stopped = false;

  constructor(builder: ResponseBuilder) {
    this.#builder = builder;
  }

  /** Whether the end of the answer came. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Takes the next event. Await what it returns. */
  event(event: Anthropic.RawMessageStreamEvent): void | Promise<void> {
    switch (event.type) {
      case "message_start":
        return this.#start(event.message);
      case "content_block_start":
        return this.#openBlock(event.index, asJson(event.content_block));
      case "content_block_delta":
        return this.#grow(event.index, event.delta);
      case "content_block_stop":
        return this.#closeBlock(event.index);
      case "message_delta":
        this.#usage.read(event.usage);
        return this.#stop(event.delta);
      case "message_stop":
        this.#stopped = true;
        return;
      default:
        // Kinds of events may be added at any time, says the vendor.
        return;
    }
  }

  /** Takes an answer that came in one piece. */
  async message(message: Anthropic.Message): Promise<void> {
    if (!Array.isArray(message?.content)) throw new TypeError("it has no list of contents.");
    this.#start(message);
    for (const [index, block] of message.content.entries()) {
      await this.#openBlock(index, asJson(block));
      await this.#closeBlock(index);
    }
    this.#stop(message);
    this.#stopped = true;
  }

  /**
   * The answer as a response.
   *
   * @throws ChatClientError `cut_stream` when the end never came.
   */
  async finish(requestId?: string): Promise<ChatResponse> {
    if (!this.#stopped || this.#head === undefined) {
      throw new ChatClientError("cut_stream", "The answer broke off before its end.", {
        retryable: true,
        ...(requestId !== undefined && { requestId }),
      });
    }
    for (const index of [...this.#open.keys()]) await this.#closeBlock(index);
    await this.#markCutCall();
    if (this.#stopReason === "refusal") await this.#builder.add(refusal(this.#stopDetails));
    const finishReason = toFinishReason(this.#stopReason);
    const usage = this.#usage.usage;
    return this.#builder.finish({
      ...(finishReason !== undefined && { finishReason }),
      ...(usage && { usage }),
      ...(this.#head?.id && { responseId: this.#head.id }),
      ...(this.#head?.model && { model: this.#head.model }),
    });
  }

  #start(message: Anthropic.Message): void {
    this.#head = { id: message.id, model: message.model };
    this.#usage.read(message.usage);
  }

  #stop(end: {
    stop_reason: string | null;
    stop_details?: Anthropic.RefusalStopDetails | null;
  }): void {
    this.#stopReason = end.stop_reason ?? this.#stopReason;
    if (isJsonObject(end.stop_details)) this.#stopDetails = end.stop_details;
  }

  #openBlock(index: number, block: WireBlock): void | Promise<void> {
    // A server that counts wrongly begins a block where another one stands: that one is whole then.
    const closed = this.#closeBlock(index);
    if (closed === undefined) return this.#beginBlock(index, block);
    return closed.then(() => this.#beginBlock(index, block));
  }

  #beginBlock(index: number, block: WireBlock): void | Promise<void> {
    const callId =
      block.type === "tool_use" ? this.#builder.callId(string(block["id"])) : undefined;
    const open: OpenBlock = {
      id: String(index),
      block,
      ...(callId !== undefined && { callId }),
      written: false,
      input: "",
      signature: string(block["signature"]),
      citations: Array.isArray(block["citations"]) ? [...block["citations"]] : [],
    };
    this.#open.set(index, open);
    this.#last = open;
    if (callId !== undefined) return this.#builder.add(callStart(callId, block));
    if (block.type === "text") return this.#addText(open, string(block["text"]));
    if (block.type === "thinking") return this.#addThinking(open, string(block["thinking"]));
  }

  #grow(index: number, delta: Anthropic.RawContentBlockDelta): void | Promise<void> {
    const open = this.#open.get(index);
    if (open === undefined) return;
    switch (delta.type) {
      case "text_delta":
        return this.#addText(open, string(delta.text));
      case "thinking_delta":
        return this.#addThinking(open, string(delta.thinking));
      case "input_json_delta":
        return this.#addInput(open, string(delta.partial_json));
      case "signature_delta":
        open.signature = string(delta.signature);
        return;
      case "citations_delta":
        open.citations.push(asJson(delta.citation));
        return;
      default:
        return;
    }
  }

  /** Says what is known of a block only when it is whole. */
  #closeBlock(index: number): void | Promise<void> {
    const open = this.#open.get(index);
    if (open === undefined) return;
    this.#open.delete(index);
    const { id, block, callId, citations, signature } = open;
    if (callId !== undefined) {
      if (open.written) return;
      // No argument text came: what the block itself says holds, and nothing means {}.
      return this.#builder.add(fragment(callId, inputText(block["input"])));
    }
    if (block.type === "text") {
      return citations.length > 0 ? this.#builder.add(textPiece(id, "", { citations })) : undefined;
    }
    if (block.type === "thinking") {
      return signature ? this.#builder.add(thinkingPiece(id, "", { signature })) : undefined;
    }
    return this.#builder.add(wholeBlock(withInput(block, open.input), id));
  }

  #addText({ id, block }: OpenBlock, text: string): void | Promise<void> {
    if (text !== "" && block.type === "text") return this.#builder.add(textPiece(id, text));
  }

  #addThinking({ id, block }: OpenBlock, text: string): void | Promise<void> {
    if (text !== "" && block.type === "thinking") return this.#builder.add(thinkingPiece(id, text));
  }

  #addInput(open: OpenBlock, text: string): void | Promise<void> {
    if (open.callId === undefined) {
      open.input += text;
      return;
    }
    if (text === "") return;
    open.written ||= text.trim() !== "";
    return this.#builder.add(fragment(open.callId, text));
  }

  /** What was being written when the tokens ran out may look whole and is not: it must never run. */
  #markCutCall(): void | Promise<void> {
    const callId = this.#last?.callId;
    if (callId === undefined || toFinishReason(this.#stopReason) !== "length") return;
    const parseError = "The answer was cut at its token limit before the arguments were complete.";
    return this.#builder.add({ ...fragment(callId, ""), parseError });
  }
}

/** Why the model stopped, in our words; a reason that has none is kept as it is. */
function toFinishReason(stopReason: string | undefined): FinishReason | undefined {
  switch (stopReason) {
    case "end_turn":
    case "stop_sequence":
      return "stop";
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "tool_use":
      return "tool_calls";
    case "refusal":
      return "content_filter";
    default:
      return stopReason;
  }
}

function refusal(details: JsonObject | undefined): Content {
  const category = string(details?.["category"]);
  return {
    type: "error",
    message: string(details?.["explanation"]) || "The model refused to answer.",
    code: category === "" ? "refusal" : `refusal_${category}`,
  };
}

function fragment(callId: string, argumentsText: string) {
  return { type: "function_call", callId, name: "", argumentsText } as const;
}

/** Text, so that an `input` that is no object meets the same reader as streamed text. */
function inputText(input: JsonValue | undefined): string {
  return typeof input === "string" ? input : JSON.stringify(input ?? {});
}

function withInput(block: WireBlock, input: string): WireBlock {
  if (input.trim() === "") return block;
  try {
    const parsed: JsonValue = JSON.parse(input);
    return { ...block, input: parsed };
  } catch {
    return { ...block, input };
  }
}

/** What came out of JSON is JSON; the vendor's types do not say so. */
function asJson(value: object): WireBlock {
  return value as WireBlock;
}

function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}
