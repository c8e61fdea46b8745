import {
  ChatClientError,
  type ChatResponse,
  type Content,
  errorContent,
  type FinishReason,
  isJsonObject,
  type JsonObject,
  type RateLimits,
  type ResponseBuilder,
} from "@tunic/core";
import { CallReader, piece } from "./from-gemini-calls.js";
import {
  HostedParts,
  mediaContentOf,
  textContentOf,
  textOf,
  unknownContentOf,
} from "./from-gemini-parts.js";
import { UsageReader } from "./from-gemini-usage.js";

/** What a candidate says about its answer beside the answer. */
const metadataNames = ["groundingMetadata", "citationMetadata", "urlContextMetadata"] as const;

/**
 * Reads an answer into a {@link ResponseBuilder}: chunk by chunk, or one whole answer, which is read as
 * a single chunk. So both come to the same messages by construction.
 */
export class AnswerReader {
  readonly #builder: ResponseBuilder;
  readonly #calls: CallReader;
  readonly #hosted: HostedParts;
  readonly #usage = new UsageReader();
  readonly #metadata: Record<string, JsonObject> = {};
  #answered = false;
  #called = false;
  /** The call that the answer ends with, so far. */
  #lastCallId: string | undefined;
  #reason: string | undefined;
  #message = "";
  #blockReason: string | undefined;
  #responseId = "";
  #model = "";

  /** @param names Names of tools, ours by those on the wire. */
  constructor(builder: ResponseBuilder, names: ReadonlyMap<string, string> = new Map()) {
    this.#builder = builder;
    this.#calls = new CallReader(builder, names);
    this.#hosted = new HostedParts((id) => builder.callId(id));
  }

  /** Whether the service has said why the model stopped, or that it never began. */
  get finished(): boolean {
    return this.#reason !== undefined || this.#blockReason !== undefined;
  }

  /** Takes a chunk or a whole answer. Await what it returns. */
  read(answer: unknown): void | Promise<void> {
    if (!isJsonObject(answer)) throw malformed(`It is ${JSON.stringify(answer)}.`);
    this.#responseId = textOf(answer["responseId"]) || this.#responseId;
    this.#model = textOf(answer["modelVersion"]) || this.#model;
    this.#usage.read(answer["usageMetadata"]);
    this.#readFeedback(answer["promptFeedback"]);
    const candidate = firstCandidate(answer);
    if (candidate === undefined) return;
    this.#answered = true;
    this.#reason = textOf(candidate["finishReason"]) || this.#reason;
    this.#message = textOf(candidate["finishMessage"]) || this.#message;
    for (const name of metadataNames) {
      const metadata = candidate[name];
      if (isJsonObject(metadata)) this.#metadata[name] = metadata;
    }
    const contents = partsOf(candidate).flatMap((part) => this.#contentsOf(part));
    if (contents.length > 0) return this.#builder.add(...contents);
  }

  /**
   * Ends the answer.
   *
   * @throws ChatClientError `malformed_response` when there was none, or the service says that what the
   * model wrote is no call; `cut_stream` when a stream ended without a reason.
   */
  async finish(end: {
    streamed: boolean;
    rateLimits?: RateLimits | undefined;
  }): Promise<ChatResponse> {
    this.#check(end.streamed);
    const finishReason = this.#finishReason();
    const rest = this.#rest(finishReason);
    if (rest.length > 0) await this.#builder.add(...rest);
    return this.#builder.finish({
      finishReason,
      rawFinishReason: this.#reason ?? this.#blockReason,
      usage: this.#usage.usage,
      responseId: this.#responseId || undefined,
      model: this.#model || undefined,
      metadata: end.rateLimits && { rateLimits: end.rateLimits },
    });
  }

  #readFeedback(feedback: unknown): void {
    if (!isJsonObject(feedback)) return;
    this.#blockReason = textOf(feedback["blockReason"]) || this.#blockReason;
    this.#message = textOf(feedback["blockReasonMessage"]) || this.#message;
  }

  #contentsOf(part: JsonObject): readonly Content[] {
    if (isJsonObject(part["functionCall"])) {
      const contents = this.#calls.contentsOf(part);
      this.#called ||= contents.length > 0;
      this.#lastCallId = contents.at(-1)?.callId ?? this.#lastCallId;
      return contents;
    }
    const content = contentOf(part, this.#hosted);
    if (content === undefined) return [];
    this.#lastCallId = undefined;
    return [content];
  }

  #check(streamed: boolean): void {
    if (!this.#answered && this.#blockReason === undefined) {
      if (streamed && !this.finished) throw cutStream();
      throw malformed("There is no candidate in it.");
    }
    if (this.#reason !== undefined && brokenReasons.has(this.#reason)) {
      throw malformed(`The model's answer ended with ${this.#reason}. ${this.#message}`.trim());
    }
    if (streamed && !this.finished) throw cutStream();
  }

  #finishReason(): FinishReason | undefined {
    if (this.#reason === undefined) return this.#blockReason ? "content_filter" : undefined;
    const reason = reasons.get(this.#reason) ?? this.#reason;
    // The service says STOP whether it calls or not.
    return this.#called && reason !== "length" && reason !== "content_filter"
      ? "tool_calls"
      : reason;
  }

  /** What can be said only when all of the answer is there. */
  #rest(finishReason: FinishReason | undefined): Content[] {
    const rest: Content[] = this.#calls.end();
    const isCut = finishReason === "length" || finishReason === "content_filter";
    if (isCut && this.#lastCallId !== undefined && rest.length === 0) {
      // What was being written may look whole and is not: it must never run.
      const parseError = `The answer was stopped (${this.#reason}) before it is sure that the arguments were complete.`;
      rest.push({ ...piece(this.#lastCallId), parseError });
    }
    if (finishReason === "content_filter") rest.push(this.#refusal());
    if (Object.keys(this.#metadata).length > 0) {
      rest.push({ type: "text", text: "", additionalProperties: { ...this.#metadata } });
    }
    return rest;
  }

  #refusal(): Content {
    const word = this.#reason ?? this.#blockReason ?? "";
    const said =
      this.#reason === undefined ? "Gemini blocked the request" : "Gemini stopped the answer";
    return errorContent(this.#message || `${said}: ${word}.`, {
      code: `refusal_${word.toLowerCase()}`,
    });
  }
}

function contentOf(part: JsonObject, hosted: HostedParts): Content | undefined {
  const known = hosted.contentOf(part) ?? mediaContentOf(part);
  if (known) return known;
  if (typeof part["text"] === "string") return textContentOf(part);
  const { thought: _, ...beside } = part;
  // A signature that stands alone: a text that is left out is an empty one.
  if (Object.keys(beside).every((name) => name === "thoughtSignature")) {
    return textContentOf({ text: "", ...part });
  }
  return unknownContentOf(part);
}

function firstCandidate({ candidates }: JsonObject): JsonObject | undefined {
  if (!Array.isArray(candidates)) return undefined;
  return candidates.filter(isJsonObject).find(({ index }) => (index ?? 0) === 0);
}

function partsOf({ content }: JsonObject): readonly JsonObject[] {
  const parts = isJsonObject(content) ? content["parts"] : undefined;
  return Array.isArray(parts) ? parts.filter(isJsonObject) : [];
}

/** Our words for the service's; others are kept as they are. */
const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["BLOCKLIST", "content_filter"],
  ["PROHIBITED_CONTENT", "content_filter"],
  ["SPII", "content_filter"],
  ["IMAGE_SAFETY", "content_filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content_filter"],
  ["IMAGE_RECITATION", "content_filter"],
  ["MODEL_ARMOR", "content_filter"],
]);

/**
 * The model wrote something that was to be a call and is none, so there is nothing to run and nothing to
 * say: asking again is what helps.
 */
const brokenReasons: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "MALFORMED_RESPONSE",
  "TOO_MANY_TOOL_CALLS",
]);

function malformed(detail: string): ChatClientError {
  return new ChatClientError(
    "malformed_response",
    `The service sent what is no answer. ${detail}`,
    { retryable: true },
  );
}

function cutStream(): ChatClientError {
  return new ChatClientError("cut_stream", "The answer broke off before its end.", {
    retryable: true,
  });
}
