import type Anthropic from "@anthropic-ai/sdk";
import {
  ChatClientError,
  type ChatResponse,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type ResponseBuilder,
  type ResponseEnd,
} from "@tunic/core";
import { type ArgumentNames, withOwnNames } from "./argument-names.js";
import {
  asJson,
  callStart,
  containerPiece,
  fragment,
  inputText,
  string,
  textPiece,
  thinkingPiece,
  type WireBlock,
  wholeBlock,
  withInput,
} from "./from-anthropic-blocks.js";
import { refusal, toFinishReason } from "./from-anthropic-stop.js";
import { UsageReader } from "./from-anthropic-usage.js";
import type { WireTools } from "./to-anthropic-tools.js";
import type { Notice } from "./wire-block.js";

interface OpenBlock {
  readonly id: string;
  block: WireBlock;
  readonly callId?: string;
  /** Where arguments have other names on the wire: their text is handed on whole. */
  readonly names?: ArgumentNames;
  /** Whether argument text came in that is not blank. */
  written: boolean;
  /** Argument text of a block that is handed on whole. */
  input: string;
  signature: string;
  citations: JsonValue[];
}

/** What a reader has to know of the request. */
export interface ReaderContext {
  /** The way back for the names of calls and arguments. */
  readonly calls?: WireTools["calls"] | undefined;
  readonly notice?: Notice | undefined;
}

/**
 * Reads an answer, streamed or whole, into a {@link ResponseBuilder}. A whole answer is read as the
 * events that would have said it, so that both give the same message. An answer that paused may be
 * followed by further ones, which go on with the same message.
 */
export class AnswerReader {
  readonly #builder: ResponseBuilder;
  readonly #calls: WireTools["calls"];
  readonly #notice: Notice | undefined;
  readonly #usage = new UsageReader();
  readonly #open = new Map<number, OpenBlock>();
  /** How many blocks the answers before this one had. */
  #blocksBefore = 0;
  #blocks = 0;
  #called = false;
  #last: OpenBlock | undefined;
  #head: { readonly id?: string; readonly model?: string } | undefined;
  #container: JsonObject | undefined;
  #stopReason: string | undefined;
  #stopDetails: JsonObject | undefined;
  #stopped = false;

  constructor(builder: ResponseBuilder, { calls, notice }: ReaderContext = {}) {
    this.#builder = builder;
    this.#calls = calls ?? new Map();
    this.#notice = notice;
  }

  /** Whether the end of the answer came. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Whether the service waits to be asked to go on. */
  get paused(): boolean {
    return this.#stopReason === "pause_turn" && !this.#called;
  }

  /** What has come in so far. */
  get soFar(): Message {
    return this.#builder.message;
  }

  /** Where the service's code runs, if it does. */
  get container(): JsonObject | undefined {
    return this.#container;
  }

  /** Makes ready for the answer that goes on with the one that paused. */
  goOn(): void {
    this.#usage.nextAnswer();
    this.#blocksBefore = this.#blocks;
    this.#last = undefined;
    this.#head = undefined;
    this.#stopReason = undefined;
    this.#stopDetails = undefined;
    this.#stopped = false;
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
        return this.#stop(event.delta, asJson(event));
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
    this.#stop(message, asJson(message));
    this.#stopped = true;
  }

  /**
   * Ends an answer, if not the message.
   *
   * @throws ChatClientError `cut_stream` when the end never came.
   */
  async endAnswer(requestId?: string): Promise<void> {
    if (!this.#stopped || this.#head === undefined) {
      throw new ChatClientError("cut_stream", "The answer broke off before its end.", {
        retryable: true,
        ...(requestId !== undefined && { requestId }),
      });
    }
    for (const index of [...this.#open.keys()]) await this.#closeBlock(index);
  }

  /** The answer as a response. */
  async finish(metadata?: ResponseEnd["metadata"]): Promise<ChatResponse> {
    await this.#markCutCall();
    if (this.#container) await this.#builder.add(containerPiece(this.#container));
    if (this.#stopReason === "refusal") await this.#builder.add(refusal(this.#stopDetails));
    return this.#builder.finish({
      finishReason: toFinishReason(this.#stopReason),
      rawFinishReason: this.#stopReason,
      usage: this.#usage.usage,
      responseId: this.#head?.id || undefined,
      model: this.#head?.model || undefined,
      metadata,
    });
  }

  #start(message: Anthropic.Message): void {
    this.#head = { id: string(message.id), model: string(message.model) };
    this.#usage.read(message.usage);
    this.#note(message.container);
  }

  #stop(
    end: {
      stop_reason: string | null;
      stop_details?: Anthropic.RefusalStopDetails | null;
      container?: Anthropic.Container | null;
    },
    around: JsonObject,
  ): void {
    this.#stopReason = string(end.stop_reason) || this.#stopReason;
    if (isJsonObject(end.stop_details)) this.#stopDetails = end.stop_details;
    this.#note(end.container);
    const changes = around["input_transformations"];
    if (!Array.isArray(changes) || changes.length === 0) return;
    this.#notice?.(
      "input_transformed",
      `Anthropic has changed what was sent before the model saw it: ${JSON.stringify(changes)}`,
    );
  }

  #note(container: unknown): void {
    if (isJsonObject(container) && string(container["id"]) !== "") this.#container = container;
  }

  #openBlock(index: number, block: WireBlock): void | Promise<void> {
    // A server that counts wrongly begins a block where another one stands: that one is whole then.
    const closed = this.#closeBlock(index);
    if (closed === undefined) return this.#beginBlock(index, block);
    return closed.then(() => this.#beginBlock(index, block));
  }

  #beginBlock(index: number, block: WireBlock): void | Promise<void> {
    const isCall = block.type === "tool_use";
    const callId = isCall ? this.#builder.callId(string(block["id"])) : undefined;
    const called = isCall ? this.#calls.get(string(block["name"])) : undefined;
    const place = this.#blocksBefore + index;
    this.#blocks = Math.max(this.#blocks, place + 1);
    this.#called ||= isCall;
    const open: OpenBlock = {
      id: String(place),
      block,
      ...(callId !== undefined && { callId }),
      ...(called?.arguments && { names: called.arguments }),
      written: false,
      input: "",
      signature: string(block["signature"]),
      citations: Array.isArray(block["citations"]) ? [...block["citations"]] : [],
    };
    this.#open.set(index, open);
    this.#last = open;
    if (callId !== undefined) {
      return this.#builder.add(callStart(callId, block, called));
    }
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
        return growWhole(open, asJson(delta));
    }
  }

  /** Says what is known of a block only when it is whole. */
  #closeBlock(index: number): void | Promise<void> {
    const open = this.#open.get(index);
    if (open === undefined) return;
    this.#open.delete(index);
    const { id, block, callId, citations, signature } = open;
    if (callId !== undefined) {
      if (open.written && !open.names) return;
      // No argument text came: what the block itself says holds, and nothing means {}.
      const text = open.written ? open.input : inputText(block["input"]);
      const own = open.names ? withOwnNames(text, open.names) : text;
      return this.#builder.add(fragment(callId, own));
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
    open.written ||= text.trim() !== "";
    if (open.callId === undefined || open.names) {
      open.input += text;
      return;
    }
    if (text === "") return;
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

/** Members of a block that comes in one delta: the last ones stand. */
function growWhole(open: OpenBlock, { type, ...members }: WireBlock): void {
  if (type !== `${open.block.type}_delta`) return;
  open.block = { ...open.block, ...members };
}
