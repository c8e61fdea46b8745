import { isJsonObject, type JsonObject, type TextReasoningContent } from "@tunic/core";
import { keptJson } from "../kept-json.js";
import type { ReasoningMember } from "../service.js";
import { listAt, textAt, type WireRecord } from "../wire-values.js";
import type { AnswerSource } from "./answer-source.js";

/** What a message's reasoning has to say when it goes back to the service it came from. */
interface ReasoningData extends JsonObject {
  readonly origin: string;
  readonly member: ReasoningMember;
}

/**
 * Reads what models show of their thoughts. Services have several members for it, and want it back in
 * the one that they have sent, so that its name is kept with the text. All of an answer's reasoning is
 * one block, as it is where the answer comes whole.
 */
export class ReasoningReader {
  readonly #origin: string;
  readonly #details: DetailList = new DetailList();
  #member: ReasoningMember | undefined;

  constructor({ origin }: AnswerSource) {
    this.#origin = origin;
  }

  /** Takes a delta or a whole message. */
  take(message: WireRecord, whole: boolean): TextReasoningContent[] {
    const details = listAt(message, "reasoning_details").filter(isJsonObject);
    this.#details.take(keptJson(details, "A detail of reasoning"), whole);
    const content = textAt(message, "reasoning_content");
    const text = content || textAt(message, "reasoning") || details.map(shownOf).join("");
    if (text === "") return [];
    this.#member ??= content === "" ? "reasoning" : "reasoning_content";
    return [block(text, { origin: this.#origin, member: this.#member })];
  }

  /** Takes a part of the content that is a thought. It goes back to nobody. */
  takePart(text: string): TextReasoningContent[] {
    return text === "" ? [] : [{ type: "text_reasoning", id: blockId, text }];
  }

  /** What is only known at the end. */
  end(): TextReasoningContent[] {
    const details = this.#details.entries;
    if (details.length === 0) return [];
    const data: ReasoningData = { origin: this.#origin, member: "reasoning_details", details };
    return [block("", data)];
  }
}

function block(text: string, data: ReasoningData): TextReasoningContent {
  return {
    type: "text_reasoning",
    id: blockId,
    text,
    providerData: { openai: { reasoning: data } },
  };
}

const blockId = "reasoning";

function shownOf(detail: JsonObject): string {
  return textAt(detail, "text") || textAt(detail, "summary");
}

/** The entries of `reasoning_details`: they come in pieces, told apart by type and index. */
class DetailList {
  readonly entries: Record<string, JsonObject[string]>[] = [];
  readonly #byPlace = new Map<string, Record<string, JsonObject[string]>>();

  take(details: readonly JsonObject[], whole: boolean): void {
    details.forEach((detail, at) => {
      const index = whole ? at : (detail["index"] ?? detail["id"] ?? "");
      const place = `${detail["type"]} ${index}`;
      const known = this.#byPlace.get(place);
      // What is encrypted comes whole, whatever its index.
      if (known && detail["type"] !== "reasoning.encrypted") grow(known, detail);
      else {
        const entry = { ...detail };
        this.entries.push(entry);
        this.#byPlace.set(place, entry);
      }
    });
  }
}

function grow(entry: Record<string, JsonObject[string]>, detail: JsonObject): void {
  for (const [member, value] of Object.entries(detail)) {
    const before = entry[member];
    const grows = member === "text" || member === "summary";
    if (grows && typeof before === "string" && typeof value === "string")
      entry[member] = before + value;
    else if (value !== null) entry[member] = value;
  }
}
