import {
  type Content,
  errorContent,
  type FunctionCallContent,
  isJsonObject,
  type JsonObject,
  parseArguments,
  type ResponseBuilder,
} from "@tunic/core";
import { keptJson } from "../kept-json.js";
import { isRecord, listAt, shownJson, textAt, type WireRecord } from "../wire-values.js";
import { hostedContents } from "./hosted-items.js";
import { asProviderData, type ItemData } from "./item-data.js";
import type { ItemIdentity } from "./item-identity.js";

/** What kind of text a part of an item is. */
export type PartKind = "text" | "summary" | "content";

/** What all items of an answer have in common. */
export interface AnswerTerms {
  readonly builder: ResponseBuilder;
  /** Names of tools by their names on the wire. */
  readonly names: ReadonlyMap<string, string>;
  /** What every content of the answer remembers of it. */
  readonly held: Pick<ItemData, "origin" | "responseId" | "conversationId">;
}

interface Part {
  readonly id: string;
  text: string;
}

/**
 * One output item on its way in: says what its deltas bring, and when it is whole what they left out.
 * What is whole is authoritative; deltas are optional.
 */
export class OutputItem implements ItemIdentity {
  readonly type: string;
  readonly id: string;
  /** The id of a call, as the service names it. */
  callId: string;
  /** The name of a call on the wire. */
  name: string;
  closed = false;
  /** Whether the service has said of a call that it is whole. */
  completed = false;
  /** All of it, as the service has said it; undefined where it never did. */
  whole: WireRecord | undefined;
  readonly #place: number;
  readonly #after: string | undefined;
  readonly #terms: AnswerTerms;
  readonly #parts = new Map<string, Part>();
  readonly #refusals = new Map<number, string>();
  readonly #refused = new Set<number>();
  readonly #annotations = new Map<number, JsonObject[]>();
  #phase: string;
  #call: FunctionCallContent | undefined;
  #arguments = "";
  readonly #beginning: WireRecord;

  constructor(item: WireRecord, place: number, after: string | undefined, terms: AnswerTerms) {
    this.type = textAt(item, "type");
    this.id = textAt(item, "id");
    this.callId = textAt(item, "call_id");
    this.name = textAt(item, "name");
    this.#phase = textAt(item, "phase");
    this.#place = place;
    this.#after = after;
    this.#terms = terms;
    this.#beginning = item;
  }

  /** What can be told of it before anything of it has come. */
  begin(): Content[] {
    if (this.type !== "function_call") return [];
    const call = this.#announced();
    return call ? [call] : [];
  }

  /** A further piece of a part. */
  grow(kind: PartKind, at: number, text: string): Content[] {
    if (text === "" || this.closed) return [];
    const key = `${kind}${at}`;
    const known = this.#parts.get(key);
    if (known) {
      known.text += text;
      return [{ type: typeOf(kind), text, id: known.id }];
    }
    // A text is found by the place of its item and its own; reasoning has two rows of them.
    const id = kind === "text" ? `${this.#place}.${at}` : `${this.#place}.${key}`;
    this.#parts.set(key, { id, text });
    const part = kind === "text" ? undefined : kind;
    return [{ type: typeOf(kind), text, id, ...this.#data({ phase: this.#phase, part }) }];
  }

  /** All of a part: what the pieces so far have left out. */
  complete(kind: PartKind, at: number, text: string): Content[] {
    const known = this.#parts.get(`${kind}${at}`)?.text ?? "";
    return text.startsWith(known) ? this.grow(kind, at, text.slice(known.length)) : [];
  }

  growRefusal(at: number, text: string): void {
    this.#refusals.set(at, (this.#refusals.get(at) ?? "") + text);
  }

  /** A refusal is told once, when it is whole. */
  completeRefusal(at: number, text: string): Content[] {
    const refusal = text || (this.#refusals.get(at) ?? "");
    if (refusal === "" || this.closed || this.#refused.has(at)) return [];
    this.#refused.add(at);
    return [errorContent(refusal, { code: "refusal", ...this.#data({ phase: this.#phase }) })];
  }

  annotate(at: number, annotation: unknown): void {
    if (!isJsonObject(annotation)) return;
    const known = this.#annotations.get(at) ?? [];
    const kept = keptJson(annotation, "An annotation") as JsonObject;
    this.#annotations.set(at, [...known, kept]);
  }

  growArguments(text: string): Content[] {
    if (text === "" || this.closed) return [];
    this.#arguments += text;
    const announced = this.#call;
    if (announced === undefined) return [];
    return [{ ...pieceOf(announced), argumentsText: text }];
  }

  /** All of the arguments: text, or (with some servers) an object. */
  completeArguments(given: unknown): Content[] {
    const call = this.#call;
    if (given === undefined || given === null || this.closed) return [];
    const text = typeof given === "string" ? given : shownJson(given);
    const known = this.#arguments;
    // Nothing contradicts nothing: it is how a call begins.
    if (text === "") return [];
    if (!isRecord(given) && text.startsWith(known))
      return this.growArguments(text.slice(known.length));
    this.#arguments = text;
    if (call === undefined) return [];
    // Text that was told cannot be taken back, but an object takes its place.
    const { argumentsText: _, ...parsed } = { argumentsText: "", ...parseArguments(text) };
    return [{ ...pieceOf(call), ...parsed }];
  }

  /** The item is whole: `item` is all of it, or absent where the service never said so. */
  close(item?: WireRecord): Content[] {
    if (this.closed) return [];
    this.whole = item;
    const contents = this.#closing(item ?? this.#beginning);
    this.closed = true;
    return contents;
  }

  /** Has a content that was told already remember which response it belongs to. */
  remember(): Content[] {
    const extras = asProviderData(this.#terms.held);
    if (this.#call) return [{ ...pieceOf(this.#call), ...extras }];
    const [first] = this.#parts;
    if (first === undefined) return [];
    const [key, { id }] = first;
    return [{ type: key.startsWith("text") ? "text" : "text_reasoning", text: "", id, ...extras }];
  }

  /** The answer was cut while this call was being written: it must never run. */
  cut(): Content[] {
    if (!this.#call || (this.completed && this.#arguments.trim() !== "")) return [];
    const parseError = "The answer was cut before the arguments were complete.";
    return [{ ...pieceOf(this.#call), parseError }];
  }

  #closing(item: WireRecord): Content[] {
    switch (this.type) {
      case "message":
        return this.#closeMessage(item);
      case "reasoning":
        return this.#closeReasoning(item);
      case "function_call":
        return this.#closeCall(item, item["arguments"]);
      case "custom_tool_call":
        // It takes free text, which is no arguments: it must fail to parse, not to arrive.
        return this.#closeCall(item, shownJson(item["input"] ?? null));
      default:
        return hostedContents(keptJson(item, "An item"), (own) => this.#data(own));
    }
  }

  #closeMessage(item: WireRecord): Content[] {
    const late = this.#phase === "" ? textAt(item, "phase") : "";
    this.#phase ||= late;
    const told = this.#parts.size;
    const contents = listAt(item, "content").flatMap((part, at) =>
      isRecord(part) ? this.#completePart(part, at) : [],
    );
    // What the parts that were told already have to know still.
    for (const [at, [key, { id }]] of [...this.#parts].entries()) {
      const annotations = this.#annotations.get(Number(key.slice("text".length)));
      const extras = asProviderData({ annotations, ...(at < told && { phase: late }) });
      if (extras.providerData) contents.push({ type: "text", text: "", id, ...extras });
    }
    for (const [at, text] of this.#refusals) contents.push(...this.completeRefusal(at, text));
    return contents;
  }

  #completePart(part: WireRecord, at: number): Content[] {
    if (part["type"] === "refusal") return this.completeRefusal(at, textAt(part, "refusal"));
    const annotations = keptJson(listAt(part, "annotations").filter(isRecord), "An annotation");
    if (annotations.length > 0) this.#annotations.set(at, annotations as JsonObject[]);
    return this.complete("text", at, textAt(part, "text"));
  }

  #closeReasoning(item: WireRecord): Content[] {
    const contents: Content[] = [];
    for (const kind of ["summary", "content"] as const) {
      for (const [at, part] of listAt(item, kind).entries()) {
        if (isRecord(part)) contents.push(...this.complete(kind, at, textAt(part, "text")));
      }
    }
    const encryptedContent = textAt(item, "encrypted_content");
    const [first] = this.#parts.values();
    if (first === undefined) {
      // Nothing to show, and nothing that could go back.
      if (encryptedContent === "" && this.#terms.held.responseId === undefined) return contents;
      const extras = this.#data({ part: "summary", encryptedContent });
      contents.push({ type: "text_reasoning", text: "", id: `${this.#place}.summary0`, ...extras });
    } else if (encryptedContent !== "") {
      const extras = asProviderData({ encryptedContent });
      contents.push({ type: "text_reasoning", text: "", id: first.id, ...extras });
    }
    return contents;
  }

  #closeCall(item: WireRecord, given: unknown): Content[] {
    this.callId ||= textAt(item, "call_id");
    this.name ||= textAt(item, "name");
    this.completed = item["status"] === "completed";
    const contents: Content[] = [];
    if (this.#call === undefined) {
      const call = this.#announced() ?? this.#unnamed();
      contents.push(call);
    }
    contents.push(...this.completeArguments(given));
    if (item["status"] === "incomplete") contents.push(...this.cut());
    return contents;
  }

  /** The beginning of a call, once its name is known. */
  #announced(): FunctionCallContent | undefined {
    if (this.name === "") return undefined;
    const name = this.#terms.names.get(this.name) ?? this.name;
    return this.#head(name);
  }

  /** It cannot run, and must not be lost. */
  #unnamed(): FunctionCallContent {
    const parseError = "The service sent a call without the name of a function.";
    return { ...this.#head("unnamed"), parseError };
  }

  #head(name: string): FunctionCallContent {
    const vendorId = this.callId || this.id;
    const callId = this.#terms.builder.callId(vendorId);
    const { caller, namespace } = this.#beginning;
    const own = {
      ...(vendorId !== callId && { callId: vendorId }),
      ...(typeof namespace === "string" && { namespace }),
      ...(isRecord(caller) &&
        caller["type"] !== "direct" && { caller: keptJson(caller, "A caller") }),
    };
    const made: FunctionCallContent = {
      type: "function_call",
      callId,
      name,
      ...(this.#arguments !== "" && { argumentsText: this.#arguments }),
      ...this.#data(own),
    };
    this.#call = made;
    return made;
  }

  #data(own: Readonly<Record<string, unknown>>): ReturnType<typeof asProviderData> {
    const { origin, ...held } = this.#terms.held;
    const made = asProviderData({ itemId: this.id, after: this.#after, ...held, ...own });
    // Who made it is of interest only where something is remembered of it.
    return made.providerData ? asProviderData({ ...made.providerData.openai, origin }) : made;
  }
}

function typeOf(kind: PartKind): "text" | "text_reasoning" {
  return kind === "text" ? "text" : "text_reasoning";
}

function pieceOf({ callId, name }: FunctionCallContent): FunctionCallContent {
  return { type: "function_call", callId, name };
}
