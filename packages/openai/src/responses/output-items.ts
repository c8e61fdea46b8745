import type { Content } from "@tunic/core";
import { isRecord, recordAt, textAt, type WireRecord } from "../wire-values.js";
import { type AnswerTerms, OutputItem, type PartKind } from "./output-item.js";

/** The output items of one answer, and which of them an event is about. */
export class OutputItems {
  readonly #terms: AnswerTerms;
  readonly #items: OutputItem[] = [];
  readonly #byIndex = new Map<number, OutputItem>();

  constructor(terms: AnswerTerms) {
    this.#terms = terms;
  }

  get hasCalls(): boolean {
    return this.#items.some(isCall);
  }

  /** What an event brings. Kinds that are not known bring nothing. */
  read(event: WireRecord): Content[] {
    const type = textAt(event, "type");
    if (type === "response.output_item.added") return this.#added(event);
    if (type === "response.output_item.done") return this.#done(event);
    const about = pieces[type];
    if (about === undefined) return [];
    const before = this.#items.length;
    const item =
      this.#find(event) ?? this.#open({ ...event, type: about.item, id: event["item_id"] }, event);
    const begun = this.#items.length > before ? item.begin() : [];
    return [...begun, ...about.read(item, event)];
  }

  /** The answer is over: what its `output` says that no event has said. */
  end(output: readonly unknown[]): Content[] {
    const contents: Content[] = [];
    const seen = new Set<OutputItem>();
    for (const [index, item] of output.entries()) {
      if (!isRecord(item)) continue;
      const meant =
        this.#same(item, index, (each) => !seen.has(each)) ??
        this.#open(item, { output_index: index });
      seen.add(meant);
      contents.push(...meant.close(item));
    }
    for (const item of this.#items) contents.push(...item.close());
    return contents;
  }

  /** Has one of the contents remember which response it belongs to, where that came late. */
  remember(): Content[] {
    for (const item of this.#items) {
      const contents = item.remember();
      if (contents.length > 0) return contents;
    }
    return [];
  }

  /** The answer was cut: what stands last is not whole. */
  cut(): Content[] {
    const last = this.#items.at(-1);
    return last && isCall(last) ? last.cut() : [];
  }

  #added(event: WireRecord): Content[] {
    const item = recordAt(event, "item");
    if (this.#same(item, indexOf(event), isOpen)) return [];
    return this.#open(item, event).begin();
  }

  #done(event: WireRecord): Content[] {
    const item = recordAt(event, "item");
    const meant = this.#same(item, indexOf(event), isOpen) ?? this.#open(item, event);
    return meant.close(item);
  }

  #open(item: WireRecord, event: WireRecord): OutputItem {
    const before = this.#items.at(-1);
    const after = before?.type === "reasoning" ? before.id : undefined;
    const opened = new OutputItem(item, this.#items.length, after, this.#terms);
    this.#items.push(opened);
    const index = indexOf(event);
    if (index !== undefined) this.#byIndex.set(index, opened);
    return opened;
  }

  /** The item that a piece belongs to. Some servers leave out the index, or give ids anew each time. */
  #find(event: WireRecord): OutputItem | undefined {
    const index = indexOf(event);
    const placed = index === undefined ? undefined : this.#byIndex.get(index);
    const id = textAt(event, "item_id");
    return placed ?? (id === "" ? this.#items.at(-1) : this.#withId(id));
  }

  /** The item that is meant by one of this form: by its place, else by the ids that it has. */
  #same(
    item: WireRecord,
    index: number | undefined,
    may: (each: OutputItem) => boolean,
  ): OutputItem | undefined {
    const type = textAt(item, "type");
    const id = textAt(item, "id");
    const callId = textAt(item, "call_id");
    const fits = (each: OutputItem | undefined): each is OutputItem =>
      each?.type === type &&
      may(each) &&
      (callId === "" || each.callId === "" || each.callId === callId);
    const placed = index === undefined ? undefined : this.#byIndex.get(index);
    if (fits(placed)) return placed;
    const fitting = this.#items.filter(fits);
    return (
      fitting.find((each) => callId !== "" && each.callId === callId) ??
      fitting.find((each) => id !== "" && each.id === id)
    );
  }

  #withId(id: string): OutputItem | undefined {
    return this.#items.find((item) => item.id === id);
  }
}

interface Piece {
  /** The type of the item, where its beginning never came. */
  readonly item: string;
  read(item: OutputItem, event: WireRecord): Content[];
}

function grows(item: string, kind: PartKind, place: string): Piece {
  return {
    item,
    read: (each, event) => each.grow(kind, at(event, place), textAt(event, "delta")),
  };
}

function completes(item: string, kind: PartKind, place: string): Piece {
  return {
    item,
    read: (each, event) => each.complete(kind, at(event, place), textAt(event, "text")),
  };
}

/** The events that bring a piece of an item. */
const pieces: Readonly<Record<string, Piece>> = {
  "response.output_text.delta": grows("message", "text", "content_index"),
  "response.output_text.done": completes("message", "text", "content_index"),
  "response.refusal.delta": {
    item: "message",
    read(item, event) {
      item.growRefusal(at(event, "content_index"), textAt(event, "delta"));
      return [];
    },
  },
  "response.refusal.done": {
    item: "message",
    read: (item, event) =>
      item.completeRefusal(at(event, "content_index"), textAt(event, "refusal")),
  },
  "response.output_text.annotation.added": {
    item: "message",
    read(item, event) {
      item.annotate(at(event, "content_index"), event["annotation"]);
      return [];
    },
  },
  "response.reasoning_summary_text.delta": grows("reasoning", "summary", "summary_index"),
  "response.reasoning_summary_text.done": completes("reasoning", "summary", "summary_index"),
  "response.reasoning_text.delta": grows("reasoning", "content", "content_index"),
  "response.reasoning_text.done": completes("reasoning", "content", "content_index"),
  "response.function_call_arguments.delta": {
    item: "function_call",
    read: (item, event) => item.growArguments(textAt(event, "delta")),
  },
  "response.function_call_arguments.done": {
    item: "function_call",
    read: (item, event) => item.completeArguments(event["arguments"]),
  },
};

function indexOf(event: WireRecord): number | undefined {
  const { output_index } = event;
  return typeof output_index === "number" ? output_index : undefined;
}

function at(event: WireRecord, member: string): number {
  const value = event[member];
  return typeof value === "number" ? value : 0;
}

function isOpen(item: OutputItem): boolean {
  return !item.closed;
}

function isCall(item: OutputItem): boolean {
  return isCallType(item.type);
}

/** Calls that somebody here has to answer. */
function isCallType(type: string): boolean {
  return type === "function_call" || type === "custom_tool_call";
}
