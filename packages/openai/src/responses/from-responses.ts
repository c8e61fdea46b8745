import type { ChatClientError, ChatResponse, Content, ResponseBuilder } from "@tunic/core";
import { fromFinishReason } from "../finish-reason.js";
import {
  cutStream,
  type ErrorSurroundings,
  fromErrorObject,
  malformed,
  metadataOf,
} from "../openai-errors.js";
import { isRecord, listAt, recordAt, shownJson, textAt, type WireRecord } from "../wire-values.js";
import { fromResponsesUsage } from "./from-responses-usage.js";
import { OutputItems } from "./output-items.js";

/** How error messages speak of an answer. */
export const answerWords = { answer: "response", end: "no response.completed" } as const;

/** What the request decides about how its answer is read. */
export interface ReadingTerms {
  /** Names of the request's tools by their names on the wire. */
  readonly names: ReadonlyMap<string, string>;
  /** Whether the service was asked to keep the answer. */
  readonly store: boolean;
  /** The host of the service, with its port. */
  readonly origin: string;
}

/**
 * Reads an answer of the Responses API: event by event, or one whole response, which is read as the
 * event that ends a stream. So both come to the same messages by construction.
 */
export class ResponseReader {
  readonly #builder: ResponseBuilder;
  readonly #surroundings: ErrorSurroundings;
  readonly #items: OutputItems;
  readonly #held: { origin: string; responseId?: string; conversationId?: string };
  #store: boolean;
  #id = "";
  #model = "";
  #end: WireRecord | undefined;
  #endType = "";

  constructor(builder: ResponseBuilder, surroundings: ErrorSurroundings, terms: ReadingTerms) {
    this.#builder = builder;
    this.#surroundings = surroundings;
    this.#store = terms.store;
    this.#held = { origin: terms.origin };
    this.#items = new OutputItems({ builder, names: terms.names, held: this.#held });
  }

  /** Whether the service has said that the answer is over. */
  get finished(): boolean {
    return this.#end !== undefined;
  }

  /**
   * Takes an event or a whole response. Await what it returns.
   *
   * @throws ChatClientError where an error came in the place of an answer.
   */
  read(value: unknown): void | Promise<void> {
    if (!isRecord(value)) throw notOne(shownJson(value, 200));
    if (this.finished) return;
    const contents = this.#contentsOf(value);
    if (contents.length > 0) return this.#builder.add(...contents);
  }

  /**
   * Ends the answer.
   *
   * @throws ChatClientError `cut_stream` where its end never came.
   */
  async finish(): Promise<ChatResponse> {
    const end = this.#end;
    if (end === undefined) throw cutStream(this.#surroundings, undefined, answerWords.end);
    const reason = textAt(recordAt(end, "incomplete_details"), "reason");
    const usage = fromResponsesUsage(end["usage"]);
    const { responseId, conversationId } = this.#held;
    return this.#builder.finish({
      finishReason: this.#finishReason(reason),
      rawFinishReason: reason || textAt(end, "status") || undefined,
      usage,
      responseId: this.#id || undefined,
      conversationId: conversationId ?? responseId,
      model: this.#model || undefined,
      metadata: metadataOf(this.#surroundings),
    });
  }

  #contentsOf(value: WireRecord): Content[] {
    const type = textAt(value, "type");
    if (type.startsWith("response.")) {
      const { response } = value;
      const { responseId } = this.#held;
      if (isRecord(response)) this.#head(response);
      if (!ends.has(type)) return this.#items.read(value);
      const contents = this.#over(type, recordAt(value, "response"));
      // Some servers say only now which response it was.
      const late = responseId !== this.#held.responseId;
      return late ? [...contents, ...this.#items.remember()] : contents;
    }
    if (type === "error" || isRecord(value["error"])) throw this.#failure(value);
    if (Array.isArray(value["output"]) || value["object"] === "response") {
      this.#head(value);
      return this.#over("", value);
    }
    // Further kinds of events may come in at any time.
    if (type !== "") return [];
    if (textAt(value, "message") !== "") throw fromErrorObject(value, this.#surroundings);
    throw notOne(shownJson(value, 200));
  }

  #head(response: WireRecord): void {
    this.#id ||= textAt(response, "id");
    this.#model ||= textAt(response, "model");
    if (response["store"] === false) this.#store = false;
    if (!this.#store || this.#id === "") return;
    // What is not kept has an id, too, but nobody can refer to it.
    this.#held.responseId = this.#id;
    const conversation = textAt(recordAt(response, "conversation"), "id");
    if (conversation !== "") this.#held.conversationId = conversation;
  }

  #over(type: string, response: WireRecord): Content[] {
    const status = textAt(response, "status");
    if (isRecord(response["error"]) || type === "response.failed" || failed.has(status)) {
      throw this.#failure(response);
    }
    if (type === "" && unfinished.has(status)) throw notOne(`its status is "${status}".`);
    this.#end = response;
    this.#endType = type;
    const contents = this.#items.end(listAt(response, "output"));
    if (this.#isCut()) contents.push(...this.#items.cut());
    return contents;
  }

  #isCut(): boolean {
    const { status } = this.#end ?? {};
    return this.#endType === "response.incomplete" || status === "incomplete";
  }

  #finishReason(reason: string): string {
    if (!this.#isCut()) return this.#items.hasCalls ? "tool_calls" : "stop";
    return fromFinishReason(reason || "length") ?? reason;
  }

  #failure(value: WireRecord): ChatClientError {
    const { error } = value;
    if (isRecord(error)) return fromErrorObject(error, this.#surroundings);
    if (textAt(value, "message") !== "") {
      // The type is that of the event, and says nothing about the failure.
      const { type: _, ...rest } = value;
      return fromErrorObject(rest, this.#surroundings);
    }
    const status = textAt(value, "status") || "failed";
    return fromErrorObject(
      { message: `The service gave the response up: ${status}.` },
      this.#surroundings,
    );
  }
}

const ends: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
]);
const failed: ReadonlySet<string> = new Set(["failed", "cancelled"]);
/** Of an answer that is made in the background. */
const unfinished: ReadonlySet<string> = new Set(["queued", "in_progress"]);

function notOne(detail: string): ChatClientError {
  return malformed(detail, undefined, answerWords.answer);
}
